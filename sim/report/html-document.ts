import { sha256 } from "@noble/hashes/sha2.js";

/** What a document of the kit consists of. */
export interface DocumentParts {
  readonly title: string;
  readonly style: string;
  /** What the page may load and run, as directives of its policy; anything else is refused. */
  readonly allowed: readonly string[];
  /** The elements of the body. */
  readonly body: readonly string[];
}

/** Returns a whole HTML document that needs nothing else and can fetch nothing. */
export function htmlDocument({ title, style, allowed, body }: DocumentParts): string {
  const policy = [
    "default-src 'none'",
    ...allowed,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<link rel="icon" href="data:,">',
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    ...body,
    "</body>",
    "</html>",
    "",
  ].join("\n");
}

/** Returns what a policy calls a script or a style with exactly this text. */
export function sourceOf(text: string): string {
  return `'sha256-${base64From(sha256(new TextEncoder().encode(text)))}'`;
}

export function jsonElement(id: string, value: unknown): string {
  // Neither the end of the script element nor a comment can begin without this character.
  const text = JSON.stringify(value).replaceAll("<", "\\u003c");
  return `<script type="application/json" id="${id}">${text}</script>`;
}

/** As many bytes as give whole groups of letters, and few enough for one call. */
const CHUNK_BYTES = 3 * 4_096;

export function base64From(bytes: Uint8Array): string {
  const chunks: string[] = [];
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    chunks.push(btoa(String.fromCharCode(...bytes.subarray(from, from + CHUNK_BYTES))));
  }
  return chunks.join("");
}

/** Returns text as it stands between tags; not for attributes. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
