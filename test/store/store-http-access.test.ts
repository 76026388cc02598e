import { describe, expect, test } from "vitest";
import { MemoryStateBackend } from "../../src/store/mod.ts";
import { recordingBackend } from "./recording-backend.ts";
import { body, serve, TOKEN } from "./serve-store.ts";

const scope = {
  kind: "task-instance",
  dagId: "etl",
  runId: "r1",
  taskId: "load",
  mapIndex: -1,
} as const;

describe("access over HTTP", () => {
  test.each([null, "wrong-horse-battery-x", "", `${TOKEN}x`, TOKEN.slice(0, -1)])(
    "without a valid token is refused: %s is 401 (A91, A94)",
    async (token) => {
      const { backend, calls } = recordingBackend();
      const { status, headers } = await serve(backend)("GET", "", { token });
      expect(status).toBe(401);
      expect(headers.get("www-authenticate")).toBe("Bearer");
      expect(calls).toEqual([]);
    },
  );

  test("a token for some acts or one task instance is 403 for others (A91, A94)", async () => {
    const { backend, calls } = recordingBackend();
    const reader = "a-token-that-only-reads";
    const worker = "a-token-of-one-worker";
    const send = serve(backend, {
      grants: [
        { token: TOKEN },
        { token: reader, acts: ["read"] },
        { token: worker, only: { ...scope, mapIndex: 2 } },
      ],
    });
    expect((await send("GET", "", { token: reader })).status).toBe(200);
    calls.length = 0;
    for (const [method, path, init] of [
      ["PUT", "/k", body({ value: 1 })],
      ["PATCH", "/k", body({ value: 1 })],
      ["DELETE", "/k", {}],
      ["DELETE", "", {}],
    ] as const) {
      expect((await send(method, path, { ...init, token: reader })).status).toBe(403);
      expect((await send(method, path, { ...init, token: worker })).status).toBe(403);
    }
    expect(
      (await send("DELETE", "?map_index=2&all_map_indices=true", { token: worker })).status,
    ).toBe(403);
    expect(calls).toEqual([]);
    expect(
      (await send("PUT", "/k?map_index=2", { ...body({ value: 1 }), token: worker })).status,
    ).toBe(204);
  });

  test("createStoreHandler() refuses to serve without a token or with a short one", () => {
    expect(() => serve(new MemoryStateBackend(), { grants: [] })).toThrow(
      new TypeError("Cannot serve a store without a token: give one"),
    );
    expect(() => serve(new MemoryStateBackend(), { grants: [{ token: "short" }] })).toThrow(
      new RangeError("Cannot use a token of 5 characters: it needs at least 16"),
    );
  });
});
