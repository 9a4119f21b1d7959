/** Which handler has a path: text before parameters, and a `*` for what nothing else has. */
import { expect, test } from "bun:test";
import { Router } from "../../../src/api/http/router.ts";

const router = new Router();
const named = (name: string) => () => new Response(name);
router.on("GET", "/runs/:id", named("run"));
router.all("/runs/:id", named("run by another method"));
router.all("/runs/newest", named("newest"));
router.all("/runs/:id/events/:event", named("event"));
router.all("/runs/*", named("other"));
router.all("/", named("start"));

const answer = async (method: string, path: string) => {
  const found = router.find(method, path);
  if (!found) return null;
  const request = new Request("http://localhost");
  const response = await found.handle({ request, server: null, params: found.params });
  return [await response.text(), found.params];
};

test("text wins over parameters, and a method over all", async () => {
  expect(await answer("GET", "/runs/7")).toEqual(["run", { id: "7" }]);
  expect(await answer("PUT", "/runs/7")).toEqual(["run by another method", { id: "7" }]);
  expect(await answer("GET", "/runs/newest")).toEqual(["newest", {}]);
  // Behind the text is nothing, so it is a parameter.
  expect(await answer("GET", "/runs/newest/events/2")).toEqual(["event", { id: "newest", event: "2" }]);
});

test("a slash counts, and a parameter is not empty", async () => {
  expect(await answer("GET", "/")).toEqual(["start", {}]);
  expect(await answer("GET", "/runs")).toBeNull();
  expect(await answer("GET", "/runs/")).toEqual(["other", {}]);
  expect(await answer("GET", "/runs/7/")).toEqual(["other", {}]);
  expect(await answer("GET", "/runs//events/2")).toEqual(["other", {}]);
});

test("parameters are decoded once, and null where they cannot be", async () => {
  expect(await answer("GET", "/runs/a%2Fb%2525")).toEqual(["run", { id: "a/b%25" }]);
  expect(await answer("GET", "/runs/%zz/events/%ff")).toEqual(["event", { id: null, event: null }]);
});

test("a path has one handler for a method", () => {
  expect(() => router.on("GET", "/runs/:other", named("twice"))).toThrow("Two handlers for GET /runs/:other");
});
