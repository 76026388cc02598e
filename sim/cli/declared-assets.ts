import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { AssetRef } from "../../src/store/mod.ts";
import { WrongInput } from "./output.ts";

const assets = z.array(
  z
    .strictObject({ name: z.string().optional(), uri: z.string().optional() })
    .refine(({ name, uri }) => name !== undefined || uri !== undefined, {
      error: "expected a name, a uri or both",
    }),
);

/**
 * Reads a file that lists assets as JSON, such as `[{ "name": "orders", "uri": "s3://shop/orders" }]`.
 *
 * @throws {WrongInput} when the file cannot be read, or lists anything else
 */
export async function assetsFromFile(path: string): Promise<readonly AssetRef[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new WrongInput(`Cannot read the declared assets: ${(error as Error).message}`);
  });
  const parsed = assets.safeParse(jsonFrom(text, path));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.join(".") ?? "";
    throw new WrongInput(
      `Cannot read "${path}" as declared assets${place && ` at ${place}`}: ${issue?.message}`,
    );
  }
  return parsed.data.map(({ name, uri }) => ({
    ...(name !== undefined && { name }),
    ...(uri !== undefined && { uri }),
  }));
}

function jsonFrom(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WrongInput(`Cannot read "${path}" as declared assets: it is no JSON`);
  }
}
