import { runOutside } from "./realm.ts";

type Stream = "stdout" | "stderr";

let sink: (stream: Stream, text: string) => void = (stream, text) => {
  const line = text.replace(/\n$/, "");
  if (stream === "stdout") console.log(line);
  else console.error(line);
};

/** Prints what code under test prints, outside of its run. */
export function printOutside(stream: Stream, text: string): void {
  runOutside(() => sink(stream, text));
}

/** Makes `print` receive what code under test prints: the command line keeps its standard output. */
export function divertPrinting(print: (stream: Stream, text: string) => void): void {
  sink = print;
}
