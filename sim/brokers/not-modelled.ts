/** What a client of the real broker may use and the model does not have. */
export class NotModelled extends Error {
  override readonly name = "NotModelled";

  constructor(what: string, see: string) {
    super(`Not modelled: ${what}; see ${see}`);
  }
}
