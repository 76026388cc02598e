/** A key or lane as traces show it; equal text for equal values. */
export function textFromKey(key: unknown): string {
  if (typeof key === "bigint") return `${key}n`;
  if (Array.isArray(key)) return `[${key.map(textFromKey).join(",")}]`;
  return JSON.stringify(key) ?? "undefined";
}

/** Whether a manager takes it for a lane. */
export function isKeyable(lane: unknown): boolean {
  if (Array.isArray(lane)) return lane.every((part) => part === null || isKeyPart(part));
  return lane === undefined || lane === null || isKeyPart(lane);
}

function isKeyPart(part: unknown): boolean {
  return ["string", "number", "bigint", "boolean"].includes(typeof part) && !Number.isNaN(part);
}
