import { type JsonValue, jsonValueFromText } from "../../src/store/mod.ts";
import { HttpError, unprocessable } from "./http-error.ts";

/**
 * The members of a JSON body.
 *
 * Holds: reads no more than `bytesMax`, whatever the length header says.
 *
 * @throws {HttpError} 413 when it is larger, 415 when it is not said to be JSON, 422 when it is no
 *   JSON object, has a member that is not `known`, or has no value
 */
export async function membersOf(
  request: Request,
  known: readonly string[],
  bytesMax: number,
): Promise<Readonly<Record<string, JsonValue>>> {
  const type = request.headers.get("content-type") ?? "application/json";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new HttpError(415, "The body is application/json");
  }
  const body = parsed(await textOf(request, bytesMax));
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw unprocessable("The body is a JSON object");
  }
  const members = body as Readonly<Record<string, JsonValue>>;
  for (const name of Object.keys(members)) {
    if (!known.includes(name))
      throw unprocessable(`The body has no member ${JSON.stringify(name)}`);
  }
  if (!Object.hasOwn(members, "value")) throw unprocessable("The body has a member value");
  if (members["value"] === null) throw unprocessable("value is not null: delete the key instead");
  return members;
}

function parsed(text: string): JsonValue {
  try {
    return jsonValueFromText(text);
  } catch (error) {
    // What an engine says about a syntax error differs from engine to engine, and may quote the
    // body.
    if (error instanceof RangeError) throw unprocessable(error.message);
    throw unprocessable("The body is not JSON");
  }
}

async function textOf(request: Request, bytesMax: number): Promise<string> {
  const tooLarge = new HttpError(413, `The body has at most ${bytesMax} bytes`);
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) throw tooLarge;
  const chunks: Uint8Array[] = [];
  let length = 0;
  if (request.body !== null) {
    const reader = (request.body as ReadableStream<Uint8Array>).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > bytesMax) {
        await reader.cancel();
        throw tooLarge;
      }
      chunks.push(value);
    }
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw unprocessable("The body is not UTF-8");
  }
}
