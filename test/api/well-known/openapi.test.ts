/**
 * What generators of clients need of the OpenAPI document: shapes whose names do not collide, widths of
 * numbers, files, open lists.
 */
import { describe, expect, test } from "bun:test";
import { openapi } from "../../../src/api/well-known/openapi.ts";
import { readConfig } from "../../../src/core/config.ts";
import { kinds, serviceKinds } from "../../../src/feed/kinds.ts";
import { event, link, must, openApp } from "../../support/harness.ts";
import { file, openLibrary } from "../../support/library.ts";

type Schema = Record<string, unknown> & {
  properties?: Record<string, Schema>;
  items?: Schema;
  $ref?: string;
};
interface Operation {
  operationId: string;
  parameters: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const documentOf = (lanes: string): Document =>
  openapi({
    config: readConfig({ SVC_LANES: lanes, SVC_SITE_URL: "http://svc.test" }),
    deprecations: [],
    now: () => 0,
  }) as never;
const document = documentOf("lane_a,lane_b");
const { schemas } = document.components;
const field = (shape: string, name: string): Schema => must(schemas[shape]?.properties?.[name]);
const operations = Object.entries(document.paths).flatMap(([path, { servers: _, ...methods }]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

describe("the document", () => {
  test("has no schema named like the Go constructor of another schema", () => {
    const clashes = Object.keys(schemas).filter(
      (name) => name.startsWith("New") && name.slice("New".length) in schemas,
    );
    expect(clashes).toEqual([]);
    expect(Object.keys(schemas)).toContain("EventInput");
  });

  test("has no inline object whose generated name is that of another schema", () => {
    const inline = (name: string, { properties = {}, items, $ref }: Schema): string[] => {
      if ($ref) return [];
      const below = Object.entries(properties).flatMap(([field, one]) =>
        inline(name + field.replace(/(?:^|_)(.)/g, (_, first: string) => first.toUpperCase()), one),
      );
      return [...(Object.keys(properties).length > 0 ? [name] : []), ...below].concat(
        items ? inline(`${name}Item`, items) : [],
      );
    };
    const names = Object.entries(schemas).flatMap(([name, schema]) => inline(name, schema).slice(1));
    expect(names).toContain("TodaySpend");
    expect(names.filter((name) => name in schemas)).toEqual([]);
  });

  test("has lists in a query as plain arrays, none in a path, and no boolean constant", () => {
    const lists = operations.flatMap(({ operation: { operationId, parameters = [] } }) =>
      parameters.flatMap(({ name, in: place, schema }) =>
        schema.anyOf || schema.type === "array" ? [`${operationId} ${place} ${name}: ${schema.type}`] : [],
      ),
    );
    expect(lists).toContain("getFeed query kind: array");
    expect(lists.filter((one) => !/ query .*: array$/.test(one))).toEqual([]);
    expect(JSON.stringify(document)).not.toContain('"const":true');
  });

  test("gives each operation one request body and one success response", () => {
    const mixed = operations.filter(({ operation: { requestBody, responses } }) => {
      const answers = Object.entries(responses).flatMap(([status, { content = {} }]) =>
        Number(status) < 300 ? Object.values(content) : [],
      );
      return Object.keys(requestBody?.content ?? {}).length > 1 || answers.some(({ schema }) => schema.anyOf);
    });
    // OpenTelemetry sends in two encodings; no client calls these operations.
    expect(mixed.map(({ operation }) => operation.operationId)).toEqual([
      ...["receiveLogs", "receiveTraces", "receiveMetrics", "receiveLangfuseTraces"],
    ]);
    expect(document.paths["/assets/presign"]?.post?.operationId).toBe("requestUpload");
  });

  test("declares ids, sizes, tokens and durations as int64, and costs as double", () => {
    const wide = {
      Event: ["id", "tokens_in", "tokens_out", "cache_read", "cache_write", "duration_ms"],
      EventInput: ["tokens_in", "tokens_out", "cache_read", "cache_write", "duration_ms"],
      Asset: ["size", "duration_ms"],
      AssetDetail: ["size", "duration_ms"],
      Decision: ["id"],
      Decided: ["id"],
      DecideRequest: ["supersedes"],
      Project: ["openIssues", "decisionsCount"],
      Usage: ["runs", "failures", "merges", "tokens_in", "tokens_out", "cache_read", "cache_write"],
    };
    const formats = (of: Record<string, string[]>) =>
      Object.entries(of).flatMap(([shape, names]) => names.map((name) => field(shape, name).format));
    expect(new Set(formats(wide))).toEqual(new Set(["int64"]));
    expect(
      new Set(formats({ Event: ["cost_equiv"], EventInput: ["cost_equiv"], Usage: ["cost_equiv"] })),
    ).toEqual(new Set(["double"]));
    const resume = document.paths["/feed/stream"]?.get?.parameters.find(
      ({ name }) => name === "Last-Event-ID",
    );
    expect(resume?.schema.format).toBe("int64");
  });

  test("declares the file of a form as binary", () => {
    expect(field("AssetUploadForm", "file")).toMatchObject({ type: "string", format: "binary" });
  });

  test("accepts only reportable kinds, and lists the service's own kinds only in responses", () => {
    const taken = field("EventInput", "kind").enum as string[];
    expect(taken.toSorted()).toEqual(
      kinds.filter((kind) => !serviceKinds.includes(kind as never)).toSorted(),
    );
    const filter = document.paths["/feed"]?.get?.parameters.find(({ name }) => name === "kind");
    const schema = { type: "array", items: { enum: kinds } };
    expect(filter).toMatchObject({ schema, style: "form", explode: false });
  });

  test("lists kinds and lanes as open in responses and as closed in requests", () => {
    expect(field("Event", "kind")).toMatchObject({ type: "string", "x-extensible-enum": [...kinds] });
    expect(field("Event", "lane")).toMatchObject({
      type: ["string", "null"],
      "x-extensible-enum": ["lane_a", "lane_b"],
    });
    for (const name of ["kind", "lane"]) expect(field("Event", name).enum).toBeUndefined();
    expect(JSON.stringify(field("EventInput", "lane"))).toContain('"enum":["lane_a","lane_b"]');
  });

  test("has a pattern for every string in a request without an enum or a format", () => {
    const open: string[] = [];
    const look = (schema: Schema, at: string): void => {
      if (schema.$ref) look(must(schemas[schema.$ref.split("/").at(-1) as string]), at);
      if (
        [schema.type].flat().includes("string") &&
        !schema.enum &&
        !schema.pattern &&
        (!schema.format || schema.format === "uri")
      )
        open.push(at);
      for (const [name, one] of Object.entries(schema.properties ?? {})) look(one, `${at}.${name}`);
      for (const one of (schema.anyOf as Schema[] | undefined) ?? []) look(one, at);
      if (schema.items) look(schema.items, `${at}[]`);
    };
    for (const { path, operation } of operations.filter(({ path }) => !/^\/api\/(hooks|otlp)/.test(path))) {
      for (const { name, in: place, schema } of operation.parameters)
        if (place !== "header") look(schema, `${path} ${name}`);
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) look(schema, path);
    }
    expect(open).toEqual([]);
  });
});

test("an event with a lane that is no longer configured matches the document", async () => {
  await using app = await openApp("sqlite", { SVC_PUBLIC_READ: "1", SVC_LANES: "lane_z" });
  await link(app.ctx.data, "atlas");
  await app.ctx.data.append([event({ project: "atlas", lane: "lane_a" })]);
  const { events } = await (await app.ask("/api/v1/feed")).json();
  expect(events[0].lane).toBe("lane_a");
});

test("the legacy POST /assets with JSON still reserves an upload, but only with `presign: true`", async () => {
  await using library = await openLibrary("sqlite", "disk");
  const wanted = { project: "atlas", filename: "note.txt" };
  for (const [path, json, status] of [
    ["/assets", { ...wanted, presign: true }, 201],
    ["/assets", wanted, 400],
    ["/assets/presign", wanted, 201],
    ["/assets/presign", { ...wanted, presign: true }, 201],
  ] as const)
    expect([path, json, (await library.say(path, { json })).status]).toEqual([path, json, status]);
  const form = new FormData();
  form.append("project", "atlas");
  form.append("file", file());
  expect((await library.say("/assets/presign", { method: "POST", body: form })).status).toBe(415);
});
