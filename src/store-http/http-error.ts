/** An error response; `message` becomes its `detail` and must hold no secret. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}

/** Returns the error for well-formed HTTP whose content is invalid; Airflow's API uses 422 too. */
export function unprocessable(detail: string): HttpError {
  return new HttpError(422, detail);
}
