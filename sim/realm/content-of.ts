/**
 * Returns a text that changes when a value does, or what it holds: members, entries, bytes.
 *
 * It refers to nothing outside of itself, because its source is also evaluated elsewhere. It calls
 * no getter, and it looks at 2,000 values at most, four levels deep.
 */
export function contentOf(value: unknown): string {
  const seen = new Set<unknown>();
  let left = 2_000;
  const walk = (one: unknown, depth: number): string => {
    left -= 1;
    const isHolder = (typeof one === "object" && one !== null) || typeof one === "function";
    if (!isHolder) return `${typeof one} ${String(one)}`;
    if (left < 0 || depth > 4 || seen.has(one)) return "…";
    seen.add(one);
    const parts: string[] = [];
    try {
      if (one instanceof Map || one instanceof Set) {
        parts.push(`size ${one.size}`);
        for (const entry of one) parts.push(walk(entry, depth + 1));
      } else if (one instanceof Date) {
        parts.push(String(one.getTime()));
      } else if (ArrayBuffer.isView(one)) {
        const { buffer, byteOffset, byteLength } = one;
        parts.push(new Uint8Array(buffer, byteOffset, Math.min(byteLength, 1_024)).join(","));
      }
      for (const name of ArrayBuffer.isView(one) ? [] : Reflect.ownKeys(one)) {
        if (left < 0) break;
        const member = Object.getOwnPropertyDescriptor(one, name);
        if (member === undefined || !("value" in member)) continue;
        parts.push(`${String(name)}: ${walk(member.value, depth + 1)}`);
      }
    } catch {
      parts.push("unreadable");
    }
    return `{${parts.join("; ")}}`;
  };
  return walk(value, 0);
}
