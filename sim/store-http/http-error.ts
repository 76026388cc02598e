/**
 * An answer that is not the one that was asked for; its detail is for the client and holds no
 * secret.
 */
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

/**
 * Input that has the right shape for HTTP and the wrong one for us; what Airflow's API answers
 * then.
 */
export function unprocessable(detail: string): HttpError {
  return new HttpError(422, detail);
}
