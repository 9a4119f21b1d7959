import { expect, test } from "bun:test";
import { sharedRead } from "../../db/engine/measured-reads.ts";

test("a shared read runs after all calls of its turn, and again for later ones", async () => {
  let state = "valid";
  const reads: string[] = [];
  const read = sharedRead(async (key) => {
    reads.push(key);
    return `${key} ${state}`;
  });
  const first = [read("ci"), read("ci"), read("deploy")];
  state = "revoked";
  expect(await Promise.all(first)).toEqual(["ci revoked", "ci revoked", "deploy revoked"]);
  expect(reads).toEqual(["ci", "deploy"]);
  const failing = sharedRead(() => Promise.reject(new Error("no answer")));
  expect(await Promise.allSettled([failing("ci"), failing("ci")])).toMatchObject([
    { reason: { message: "no answer" } },
    { reason: { message: "no answer" } },
  ]);
  state = "valid";
  expect(await read("ci")).toBe("ci valid");
});
