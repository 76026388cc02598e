/** A topic filter, taken apart. */
export interface TopicFilter {
  /** The group of a shared subscription; undefined for one that is not shared. */
  readonly share: string | undefined;
  readonly levels: readonly string[];
}

const SHARED = /^\$share\/(?<share>[^/+#]+)\/(?<filter>.+)$/s;

/** Returns the parts of a filter: "$share/group/orders/#" is "orders/#" of the group "group". */
export function parseFilter(text: string): TopicFilter {
  const { share, filter } = SHARED.exec(text)?.groups ?? {};
  return { share, levels: (filter ?? text).split("/") };
}

/** Whether a topic matches; a wildcard in front matches no topic that begins with a dollar sign. */
export function matches({ levels }: TopicFilter, topic: string): boolean {
  const parts = topic.split("/");
  if (topic.startsWith("$") && (levels[0] === "#" || levels[0] === "+")) return false;
  for (const [at, level] of levels.entries()) {
    if (level === "#") return true;
    const part = parts[at];
    if (part === undefined || (level !== "+" && level !== part)) return false;
  }
  return levels.length === parts.length;
}

const WILDCARD_ORDER: Readonly<Record<string, number>> = { "+": 1, "#": 2 };

/**
 * Compares two filters that match one topic, as mosquitto finds them: level by level, a literal
 * before "+" before "#", and of filters for one place the shared one first.
 */
export function compareFilters(one: TopicFilter, other: TopicFilter): number {
  const length = Math.max(one.levels.length, other.levels.length);
  for (let at = 0; at < length; at += 1) {
    const order = rank(one.levels[at]) - rank(other.levels[at]);
    if (order !== 0) return order;
  }
  return Number(one.share === undefined) - Number(other.share === undefined);
}

function rank(level: string | undefined): number {
  // "orders/#" matches "orders", too, and is found before it.
  return level === undefined ? 3 : (WILDCARD_ORDER[level] ?? 0);
}

/**
 * Whether a filter has its wildcards where they may be.
 *
 * Source: MQTT.js 5, validations.js
 */
export function isValidFilter(topic: string): boolean {
  const parts = topic.split("/");
  const at = parts.findIndex((part) => part === "#" || (part !== "+" && /[+#]/.test(part)));
  return at === -1 || (parts[at] === "#" && at === parts.length - 1);
}
