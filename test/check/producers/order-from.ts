/** What is no JSON is handed out as it is. */
export function orderFrom(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
