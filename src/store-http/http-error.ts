/** The part of a request that is invalid, as FastAPI names it: `["body", "value"]`. */
export type InvalidPart = readonly [source: "body" | "path" | "query", ...names: readonly string[]];

/** Pydantic's codes of what may be wrong with a request. */
export type InvalidKind =
  | "bool_parsing"
  | "extra_forbidden"
  | "greater_than_equal"
  | "int_parsing"
  | "json_invalid"
  | "less_than_equal"
  | "missing"
  | "model_attributes_type"
  | "value_error";

/** One thing that is wrong with a request; Airflow's clients expect a list of them. */
export interface Invalid {
  readonly type: InvalidKind;
  readonly loc: InvalidPart;
  readonly msg: string;
}

/** An error response; `detail` must hold no secret. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  readonly detail: string | readonly Invalid[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    detail: string | readonly Invalid[],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(typeof detail === "string" ? detail : detail.map(({ msg }) => msg).join("; "));
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }
}

/** Returns the error for well-formed HTTP whose content is invalid, in the shape of Airflow's API. */
export function unprocessable(type: InvalidKind, loc: InvalidPart, msg: string): HttpError {
  return new HttpError(422, [{ type, loc, msg }]);
}
