import { type JsonValue, jsonValueFromText } from "../store/mod.ts";
import { HttpError, unprocessable } from "./http-error.ts";

/**
 * Returns the JSON value that the request's body is.
 *
 * Holds: reads at most `bytesMax` bytes, whatever the content-length header says.
 *
 * @throws {HttpError} 413 when the body is larger; 415 when its content type is not JSON; 422 when
 *   it is no JSON
 */
export async function bodyOf(request: Request, bytesMax: number): Promise<JsonValue> {
  const type = request.headers.get("content-type") ?? "application/json";
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new HttpError(415, "The content type must be application/json");
  }
  return parsed(await textOf(request, bytesMax));
}

/**
 * Returns the members of a request's body.
 *
 * @throws {HttpError} 422 when it is no object, has a member that is not `known`, or has no value
 */
export function membersOf(
  body: JsonValue,
  known: readonly string[],
): Readonly<Record<string, JsonValue>> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw unprocessable("model_attributes_type", ["body"], "The body must be a JSON object");
  }
  const members = body as Readonly<Record<string, JsonValue>>;
  for (const name of Object.keys(members)) {
    if (known.includes(name)) continue;
    const message = `The body must not have the member ${JSON.stringify(name)}`;
    throw unprocessable("extra_forbidden", ["body", name], message);
  }
  if (!Object.hasOwn(members, "value")) {
    throw unprocessable("missing", ["body", "value"], "The body must have the member value");
  }
  if (members["value"] === null) {
    const message = "value must not be null: delete the key instead";
    throw unprocessable("value_error", ["body", "value"], message);
  }
  return members;
}

function parsed(text: string): JsonValue {
  try {
    return jsonValueFromText(text);
  } catch (error) {
    if (error instanceof RangeError) throw unprocessable("value_error", ["body"], error.message);
    // A syntax error's own message differs between engines and may quote the body.
    throw unprocessable("json_invalid", ["body"], "The body must be JSON");
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
    throw unprocessable("json_invalid", ["body"], "The body must be UTF-8");
  }
}
