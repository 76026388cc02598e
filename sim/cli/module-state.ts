import type { Runtime } from "node:inspector";
import * as inspector from "node:inspector";
import { basename } from "node:path";
import { AddedMembers } from "../realm/added-members.ts";
import { contentOf } from "../realm/content-of.ts";
import { runOutside } from "../realm/realm.ts";
import type { StateProbe } from "../run/state-probe.ts";
import { userModules } from "./imports-anew.ts";

/** Under this name the inspector finds the functions whose variables it looks at. */
const LOOKED_AT = Symbol.for("faultlane: looked at");
/** The variables of a module, and those of a function around the one that is exported. */
const SCOPES = /^(Module|Closure)\b/;
const FUNCTIONS_MAX = 500;

interface Exported {
  readonly module: string;
  readonly fn: object;
}

type Contents = Map<string, string>;

/**
 * Sees the state of a user's modules, and what code has added to globals: exported values on every
 * runtime, and on Node every variable of a module, and of the closures around what it exports.
 */
export class ModuleState implements StateProbe {
  readonly #added = new AddedMembers();

  forgetAdded(): () => void {
    return this.#added.forget();
  }

  changedBy(act: () => Promise<unknown>): Promise<readonly string[]> {
    return runOutside(async () => {
      const before = await this.#contents();
      await act();
      const after = await this.#contents();
      return changedNames(before, after);
    });
  }

  async #contents(): Promise<Contents> {
    const contents = new Map(this.#added.contents());
    const exported: Exported[] = [];
    for (const url of userModules()) {
      // Evaluated already: this only returns it.
      const namespace = (await import(url)) as Readonly<Record<string, unknown>>;
      const module = basename(url.replace(/\?.*/, ""));
      for (const [name, value] of Object.entries(namespace)) {
        if (typeof value !== "function") contents.set(`"${name}" of ${module}`, contentOf(value));
        else exported.push({ module, fn: value });
      }
    }
    addVariables(contents, exported.slice(0, FUNCTIONS_MAX));
    return contents;
  }
}

/** An object is named once, where it was found first: an import is a variable, too. */
function changedNames(before: Contents, after: Contents): readonly string[] {
  const names: string[] = [];
  const objects = new Set<string>();
  for (const [name, content] of after) {
    const was = before.get(name);
    if (was === undefined || was === content) continue;
    const change = `${was} ${content}`;
    if (objects.has(change)) continue;
    if (content.startsWith("{")) objects.add(change);
    names.push(name);
  }
  return names.toSorted();
}

/** Adds what the variables hold that the functions see, where the runtime lets look at them. */
function addVariables(contents: Contents, exported: readonly Exported[]): void {
  if (process.versions["bun"] !== undefined || process.versions["deno"] !== undefined) return;
  const session = new inspector.Session();
  session.connect();
  Reflect.set(
    globalThis,
    LOOKED_AT,
    exported.map(({ fn }) => fn),
  );
  try {
    // Only then the scopes of a function are shown.
    session.post("Debugger.enable");
    for (const [at, { module }] of exported.entries()) {
      const expression = `globalThis[Symbol.for("${LOOKED_AT.description}")][${at}]`;
      for (const scope of scopesOf(session, idOf(session, expression))) {
        for (const { name, value } of membersOf(session, scope.objectId).result) {
          const variable = `"${name}" of ${module}`;
          if (value !== undefined) contents.set(variable, contentIn(session, value));
        }
      }
    }
  } finally {
    Reflect.deleteProperty(globalThis, LOOKED_AT);
    session.disconnect();
  }
}

function scopesOf(
  session: inspector.Session,
  fn: string | undefined,
): readonly Runtime.RemoteObject[] {
  const { internalProperties = [] } = membersOf(session, fn);
  const scopes = internalProperties.find(({ name }) => name === "[[Scopes]]")?.value?.objectId;
  return membersOf(session, scopes).result.flatMap(({ value }) => {
    return value !== undefined && SCOPES.test(value.description ?? "") ? [value] : [];
  });
}

/** What an object holds, its private members included. */
function contentIn(
  session: inspector.Session,
  { type, value, objectId }: Runtime.RemoteObject,
): string {
  if (objectId === undefined) return `${type} ${String(value)}`;
  const own = call(session, objectId);
  const { privateProperties = [] } = membersOf(session, objectId) as PrivateMembers;
  const hidden = privateProperties.map(({ name, value: member }) => {
    if (member?.objectId !== undefined) return `${name}: ${call(session, member.objectId)}`;
    return `${name}: ${String(member?.value)}`;
  });
  return [own, ...hidden].join("; ");
}

interface PrivateMembers extends Runtime.GetPropertiesReturnType {
  readonly privateProperties?: readonly {
    readonly name: string;
    readonly value?: Runtime.RemoteObject;
  }[];
}

const NOTHING: Runtime.GetPropertiesReturnType = { result: [] };

/** In one thread, a session replies before `post` returns. */
function membersOf(session: inspector.Session, objectId = ""): Runtime.GetPropertiesReturnType {
  let members = NOTHING;
  if (objectId === "") return members;
  session.post("Runtime.getProperties", { objectId, ownProperties: true }, (error, found) => {
    if (error === null) members = found;
  });
  return members;
}

function idOf(session: inspector.Session, expression: string): string | undefined {
  let id: string | undefined;
  session.post("Runtime.evaluate", { expression }, (error, found) => {
    if (error === null) id = found.result.objectId;
  });
  return id;
}

function call(session: inspector.Session, objectId: string): string {
  let content = "";
  const functionDeclaration = `function () { return (${contentOf.toString()})(this); }`;
  const params = { objectId, functionDeclaration, returnByValue: true };
  session.post("Runtime.callFunctionOn", params, (error, found) => {
    if (error === null) content = String((found as Runtime.CallFunctionOnReturnType).result.value);
  });
  return content;
}
