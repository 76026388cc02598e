/** One place that breaks one rule of the house. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** The form in which an editor or a terminal turns a finding into a link. */
export function lineFromFinding({ path, line, message }: Finding): string {
  return `${path}:${line} ${message}`;
}
