import { type JsonValue, jsonValueFromText } from "../store/mod.ts";
import { HttpError, unprocessable } from "./http-error.ts";

/**
 * Returns the members of the request's JSON object.
 *
 * Holds: reads at most `bytesMax` bytes, whatever the content-length header says.
 *
 * @throws {HttpError} 413 when the body is larger; 415 when its content type is not JSON; 422 when
 *   it is no JSON object, has a member that is not `known`, or has no value
 */
export async function membersOf(
  request: Request,
  known: readonly string[],
  bytesMax: number,
): Promise<Readonly<Record<string, JsonValue>>> {
  const type = request.headers.get("content-type") ?? "application/json";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new HttpError(415, "The content type must be application/json");
  }
  const body = parsed(await textOf(request, bytesMax));
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw unprocessable("The body must be a JSON object");
  }
  const members = body as Readonly<Record<string, JsonValue>>;
  for (const name of Object.keys(members)) {
    if (known.includes(name)) continue;
    throw unprocessable(`The body must not have the member ${JSON.stringify(name)}`);
  }
  if (!Object.hasOwn(members, "value")) throw unprocessable("The body must have the member value");
  if (members["value"] === null) {
    throw unprocessable("value must not be null: delete the key instead");
  }
  return members;
}

function parsed(text: string): JsonValue {
  try {
    return jsonValueFromText(text);
  } catch (error) {
    if (error instanceof RangeError) throw unprocessable(error.message);
    // A syntax error's own message differs between engines and may quote the body.
    throw unprocessable("The body must be JSON");
  }
}

async function textOf(request: Request, bytesMax: number): Promise<string> {
  const tooLarge = new HttpError(413, `The body must have at most ${bytesMax} bytes`);
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
    throw unprocessable("The body must be UTF-8");
  }
}
