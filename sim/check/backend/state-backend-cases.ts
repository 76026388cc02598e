import type { JsonValue, StoreScope } from "../../../src/store/mod.ts";
import type { ChoiceStream } from "../../choices/choices.ts";
import { Dice } from "../../choices/dice.ts";

/** A key and what is stored under it. */
export interface Stored {
  readonly key: string;
  readonly value: NonNullable<JsonValue>;
}

/** Two scopes that share a key. */
export interface TwoScopes {
  readonly left: StoreScope;
  readonly right: StoreScope;
  readonly key: string;
}

const TEXT_MAX = 12;
const KEY_MAX = 20;
const DEPTH_MAX = 4;
const ITEMS_MAX = 3;
const CODE_POINTS = 0x11_0000;
const SURROGATES = { from: 0xd800, to: 0xdfff } as const;
/** Letters that encoders, separators and databases treat in ways of their own. */
const LETTERS = [
  ...["a", "A", "0", " ", '"', "'", ",", "/", "\\", "#", "|", "%", "_"],
  ...["\0", "\u0001", "\n", "\u007f", "\u00df", "e\u0301", "\u2028", "\ud7ff", "\ue000", "\uffff"],
  ...["\u{1f600}", "\u{10ffff}"],
] as const;
/** Keys on which UTF-8, UTF-16 and what cannot be encoded at all disagree. */
const ODD_KEYS = [
  ...["\u0001", "\u0001#", "\0", "\ud7ff", "\ud800", "\udfff", "\ud7ff\u0002\u0100", "\ue000"],
] as const;
const NUMBERS = [
  ...[0, 1, -1, 0.1, -1.5, 1e21, 5e-324, Number.MAX_VALUE],
  ...[Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
] as const;
/** Parts of scopes that look like an encoding of something else. */
const PARTS = ["", "a", "a,b", '"', '","', '["', "\\", "/", "null", "-1"] as const;
const SEPARATORS = [
  ...[",", "/", ":", "|", "-", "_", ".", " ", "", "\0", "\n", '"', '","', "::", "__"],
] as const;

/** Draws a key and any JSON value but a top-level null. */
export function drawStored(chance: ChoiceStream): Stored {
  const dice = new Dice(chance, "stored");
  return { key: drawKey(dice), value: drawJson(dice, 0) ?? false };
}

/** Draws any two scopes, or two that are one as soon as their parts are joined by a separator. */
export function drawTwoScopes(chance: ChoiceStream): TwoScopes {
  const dice = new Dice(chance, "scopes");
  const [left, right] = dice.oneIn(2) ? drawLookAlikes(dice) : [drawScope(dice), drawScope(dice)];
  return { left, right, key: drawKey(dice) };
}

function drawLetter(dice: Dice): string {
  if (dice.oneIn(2)) return dice.from(LETTERS);
  const point = dice.below(CODE_POINTS);
  const isSurrogate = point >= SURROGATES.from && point <= SURROGATES.to;
  return isSurrogate ? dice.from(LETTERS) : String.fromCodePoint(point);
}

function drawText(dice: Dice, least: number, most: number): string {
  const length = least + dice.below(most - least + 1);
  return Array.from({ length }, () => drawLetter(dice)).join("");
}

function drawKey(dice: Dice): string {
  return dice.oneIn(4) ? dice.from(ODD_KEYS) : drawText(dice, 1, KEY_MAX);
}

function drawJson(dice: Dice, depth: number): JsonValue {
  const kinds = ["text", "number", "small", "boolean", "null", "list", "record"] as const;
  const kind = depth < DEPTH_MAX ? dice.from(kinds) : dice.from(kinds.slice(0, -2));
  const items = <Item>(draw: () => Item): Item[] =>
    Array.from({ length: dice.below(ITEMS_MAX + 1) }, draw);
  switch (kind) {
    case "text":
      return drawText(dice, 0, TEXT_MAX);
    case "number":
      return dice.from(NUMBERS);
    case "small":
      return dice.below(100) - 50;
    case "boolean":
      return dice.oneIn(2);
    case "list":
      return items(() => drawJson(dice, depth + 1));
    case "record":
      return Object.fromEntries(
        items(() => [drawText(dice, 0, TEXT_MAX), drawJson(dice, depth + 1)] as const),
      );
    default:
      return null;
  }
}

function drawPart(dice: Dice): string {
  return dice.oneIn(2) ? drawText(dice, 0, TEXT_MAX) : dice.from(PARTS);
}

function drawScope(dice: Dice): StoreScope {
  const part = (): string => drawPart(dice);
  switch (dice.below(6)) {
    case 0:
      return {
        kind: "task-instance",
        dagId: part(),
        runId: part(),
        taskId: part(),
        mapIndex: dice.below(4) - 1,
      };
    case 1:
      return { kind: "task", dagId: part(), taskId: part() };
    case 2:
      return { kind: "process", namespace: part(), processName: part() };
    case 3:
      return { kind: "asset", name: part() };
    case 4:
      return { kind: "asset", uri: part() };
    default:
      return { kind: "asset", name: part(), uri: part() };
  }
}

function drawLookAlikes(dice: Dice): readonly [StoreScope, StoreScope] {
  const separator = dice.from(SEPARATORS);
  const [first, second, third, taskId] = [1, 2, 3, 4].map(() => drawPart(dice)) as [
    string,
    string,
    string,
    string,
  ];
  const mapIndex = dice.below(3) - 1;
  const kind = "task-instance";
  return [
    { kind, dagId: first + separator + second, runId: third, taskId, mapIndex },
    { kind, dagId: first, runId: second + separator + third, taskId, mapIndex },
  ];
}
