/** The methods of a signed upload URL in the OpenAPI document. Their tests hold each response against it. */
import { expect, test } from "bun:test";
import { paths } from "../../../src/core/info.ts";
import { tusRequests } from "../../support/assets/tus.ts";
import { openApp } from "../../support/harness.ts";
import { openLibrary } from "../../support/library.ts";

interface Method {
  parameters: { name: string; in: string }[];
  responses: Record<string, { headers: object }>;
}

test("the document describes each method that the URL allows, at the origin of files", async () => {
  await using app = await openApp("sqlite", { SVC_CONTENT_URL: "https://content.example" });
  const document = await (await app.ask(paths.openapi)).json();
  const { servers, ...methods } = document.paths["/api/assets/upload/{id}/{signature}"];
  expect(servers).toMatchObject([{ url: "https://content.example" }]);
  expect(Object.keys(methods)).toEqual(["put", "post", "head", "patch", "delete", "options"]);
  expect(methods.patch.parameters.filter((one: { in: string }) => one.in === "header")).toMatchObject([
    { name: "Tus-Resumable", required: true },
    { name: "Upload-Offset", required: true, schema: { type: "integer" } },
    { name: "Upload-Checksum", required: false },
  ]);
  expect(methods.patch.responses[460].headers).toHaveProperty("Tus-Resumable");
});

test("a browser may send and read every header that the document names", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const document = await (await library.ask(paths.openapi)).json();
  const { servers: _, ...methods } = document.paths["/api/assets/upload/{id}/{signature}"];
  const { response } = await tusRequests(library).begin(10);
  const discovery = await tusRequests(library).send("OPTIONS", response.headers.get("location") ?? "");
  const listed = (name: string) => (discovery.headers.get(name) ?? "").toLowerCase().split(", ");
  for (const [method, { parameters, responses }] of Object.entries<Method>(methods)) {
    expect(listed("access-control-allow-methods")).toContain(method);
    for (const { name, in: place } of parameters)
      if (place === "header") expect(listed("access-control-allow-headers")).toContain(name.toLowerCase());
    const [success] = Object.values(responses);
    for (const name of Object.keys(success?.headers ?? {}))
      expect(listed("access-control-expose-headers")).toContain(name.toLowerCase());
  }
});

test("a page of another origin may read why its file was refused", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const { response } = await tusRequests(library).begin(10);
  const url = (response.headers.get("location") ?? "").replace(/-[^/]+$/, `-${"0".repeat(32)}`);
  const refused = await library.ask(new URL(url).pathname, { method: "PUT", body: "x" });
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([403, "*"]);
});
