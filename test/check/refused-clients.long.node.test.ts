import { describe, expect, test } from "vitest";
import { REFUSED_CLIENT_BUGS } from "./refused-clients.ts";

/** Those whose library gives up by itself; the others differ in nothing that a draw could miss. */
const GIVEN_UP = REFUSED_CLIENT_BUGS.filter(({ id }) => /^(?:pubsub|mqtt)-/.test(id));

describe("the default settings find a producer that", () => {
  test.each(GIVEN_UP)("$what", async (bug) => {
    const found = await bug.find();
    expect(found, `${bug.id} was not found`).toBeDefined();
    expect(bug.guarantees).toContain(found?.guarantee);
  });
});
