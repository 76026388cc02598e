/** Unwinds the code of an incarnation that has just crashed. */
export class HostDied extends Error {
  override readonly name = "HostDied";
}
