import { JetStreamApiError } from "./errors.ts";
import { readTime } from "./rfc3339.ts";

/** A type of what the server reads, by the name that it has there. */
export type SentType =
  | "string"
  | "bool"
  | "int"
  | "uint64"
  | "time.Duration"
  | "time.Time"
  | "map[string]string"
  | { readonly list: "string" | "time.Duration" }
  | { readonly words: readonly string[]; readonly kind?: string }
  | SentFields;

/** What has a name for who gives something else. */
type ReadType = Exclude<SentType, { readonly words: readonly string[] }>;

export interface SentFields {
  readonly name: string;
  readonly fields: Readonly<Record<string, SentType>>;
}

const INVALID_JSON = 10_025;
/** The first number that is none of a type any more. */
const ENDS = { int: 2 ** 63, "time.Duration": 2 ** 63, uint64: 2 ** 64 };
/** What null is in a list. */
const NOTHING = { string: "", "time.Duration": 0 };

/**
 * Reads a request as the server does: what is sent is JSON. Null is as what is left out, except
 * for a word. Of what is wrong the first is told.
 *
 * @throws {JetStreamApiError} 10025
 *
 * Source: nats-server 2.15, unmarshalRequest; Go, encoding/json, decode.go
 */
export function decoded(given: unknown, type: SentFields): unknown {
  const text = JSON.stringify(given) as string | undefined;
  const reader = new Reader();
  const value = text === undefined ? {} : reader.value(JSON.parse(text), type, [type.name]);
  if (reader.wrong !== undefined) {
    throw new JetStreamApiError(INVALID_JSON, `invalid JSON: ${reader.wrong}`);
  }
  return value ?? {};
}

class Reader {
  /** What is wrong first. */
  wrong: string | undefined;

  value(sent: unknown, type: SentType, path: readonly string[], isElement = false): unknown {
    if (typeof type === "object" && "words" in type) {
      if (typeof sent === "string" && type.words.includes(sent)) return sent;
      const isUnknown = typeof sent === "string" && type.kind !== undefined;
      if (isUnknown) this.wrong ??= `unknown ${type.kind}: ${JSON.stringify(sent)}`;
      this.wrong ??= `can not unmarshal ${JSON.stringify(JSON.stringify(sent))}`;
      return undefined;
    }
    if (sent === null) return undefined;
    if (!isOf(sent, type)) {
      this.#tellOther(sent, type, path, isElement);
      return undefined;
    }
    if (type === "map[string]string") {
      const entries = Object.entries(sent as object);
      const read = (name: string, one: unknown): unknown =>
        this.value(one, "string", [...path, name]) ?? "";
      return Object.fromEntries(entries.map(([name, one]) => [name, read(name, one)]));
    }
    if (type === "time.Time") return this.#time(sent as string);
    if (typeof type === "string") return sent;
    if ("list" in type) {
      return (sent as readonly unknown[]).map(
        (one, at) => this.value(one, type.list, [...path, String(at)], true) ?? NOTHING[type.list],
      );
    }
    return this.#fields(sent as object, type, path);
  }

  #fields(sent: object, { fields }: SentFields, path: readonly string[]): object {
    const read: Record<string, unknown> = {};
    for (const [name, one] of Object.entries(sent)) {
      const type = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (type === undefined) this.wrong ??= `json: unknown field ${JSON.stringify(name)}`;
      else read[name] = this.value(one, type, [...path, name]);
    }
    return read;
  }

  #time(sent: string): string | undefined {
    const read = readTime(sent);
    if (typeof read === "number") return sent;
    this.wrong ??= read;
    return undefined;
  }

  /** Notes that something of another type was sent. */
  #tellOther(sent: unknown, type: ReadType, path: readonly string[], isElement: boolean): void {
    const isWhole = path.length === 1;
    const field = `${isElement ? "" : "Go struct field "}${path.join(".")}`;
    const into = isWhole ? "Go value" : field;
    const what = isNumeric(type) && typeof sent === "number" ? ` ${JSON.stringify(sent)}` : "";
    const [kind, wanted] = [`${kindOf(sent)}${what}`, nameOf(type)];
    this.wrong ??= `json: cannot unmarshal ${kind} into ${into} of type ${wanted}`;
  }
}

function isOf(sent: unknown, type: ReadType): boolean {
  if (typeof type === "object") {
    return kindOf(sent) === ("list" in type ? "array" : "object");
  }
  if (type === "map[string]string") return kindOf(sent) === "object";
  if (type === "bool") return typeof sent === "boolean";
  if (!isNumeric(type)) return typeof sent === "string";
  // A number with an exponent is none that the server reads here.
  const isWhole = typeof sent === "number" && /^-?\d+$/.test(JSON.stringify(sent));
  return isWhole && sent < ENDS[type] && (sent >= 0 || type !== "uint64");
}

function isNumeric(type: ReadType): type is keyof typeof ENDS {
  return typeof type === "string" && type in ENDS;
}

function kindOf(sent: unknown): string {
  if (Array.isArray(sent)) return "array";
  return typeof sent === "boolean" ? "bool" : typeof sent;
}

function nameOf(type: ReadType): string {
  if (typeof type === "string") return type;
  return "list" in type ? `[]${type.list}` : `server.${type.name}`;
}
