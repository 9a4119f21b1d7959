/** A form with a file: its fields are validated like any other input, before and after the file. */
import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { FileForm, type FormPart, withFileForm } from "../../../../src/core/lib/http/file-form.ts";
import { conflict } from "../../../../src/core/problem.ts";

const schema = FileForm(
  Type.Object({
    project: Type.String(),
    issue: Type.Optional(Type.Integer({ minimum: 1, maximum: 9 })),
    tags: Type.Optional(Type.Array(Type.String({ maxLength: 3 }))),
  }),
);

async function* contentOf(text: string) {
  yield Buffer.from(text);
}
const field = (name: string, value: string): FormPart => ({
  ...{ name, filename: null, content: contentOf(value), text: async () => value },
});
const file: FormPart = { ...field("file", "content"), filename: "a.txt" };

/** A form of these parts, and whether its source was closed. */
function formOf(parts: FormPart[]) {
  const state = { isClosed: false };
  async function* source() {
    try {
      yield* parts;
    } finally {
      state.isClosed = true;
    }
  }
  return { state, source: source() };
}

/** The fields before the file, and all of them. */
const read = (...parts: FormPart[]) =>
  withFileForm(schema, formOf(parts).source, async ({ earlyFields, allFields }) => ({
    earlyFields,
    allFields: await allFields(),
  }));

describe("the fields of a form", () => {
  test("before the file are known before it is read, if no required one is missing", async () => {
    const early = { project: "atlas", issue: 7 };
    expect(await read(field("project", "atlas"), field("issue", "7"), file, field("tags", "a"))).toEqual({
      ...{ earlyFields: early, allFields: { ...early, tags: ["a"] } },
    });
    expect(await read(field("issue", "7"), file, field("project", "atlas"))).toEqual({
      ...{ earlyFields: null, allFields: early },
    });
  });

  test("that are lists have their items separated by commas, in a field each, or as JSON", async () => {
    const { allFields } = await read(
      ...[field("tags", "a, b,,"), field("project", "atlas"), file, field("tags", "c")],
      ...[field("tags", '["d","e,"]'), field("tags", '["d","e,"]'), field("tags", "[f")],
    );
    expect(allFields).toEqual({ project: "atlas", tags: ["a", "b", "c", "d", "e,", "[f"] });
  });

  const refused: [string, FormPart[], string][] = [
    ["is invalid before the file", [field("project", "atlas"), field("issue", "x"), file], "issue must be"],
    ["is invalid after the file", [field("project", "atlas"), file, field("issue", "10")], "issue must be"],
    ["is missing", [file], "project is required."],
    ["is repeated", [field("project", "a"), field("project", "b"), file], "project can be given only once."],
    ["is an invalid item", [field("project", "atlas"), file, field("tags", "a,long")], "tags[1] must be"],
    ["replaces the file", [field("project", "atlas"), field("file", "text")], "file must be a file"],
    ["has no file beside it", [field("project", "atlas")], "file is required."],
    ["has two files beside it", [field("project", "atlas"), file, file], "file can be given only once."],
  ];
  test.each(refused)("are a 400 if one %s", async (...[, parts, detail]) => {
    const error = await read(...parts).catch((reason) => reason);
    expect(error).toMatchObject({ status: 400, detail: expect.stringContaining(detail) });
  });

  test("that are unknown are ignored, even twice and with names that every object has", async () => {
    const unknown = ["constructor", "constructor", "toString", "other", "other"];
    const { allFields } = await read(
      ...unknown.map((name) => field(name, "1")),
      ...[field("project", "atlas"), file],
    );
    expect(allFields).toEqual({ project: "atlas" });
  });
});

test("the source of a form is closed when the operation refuses it", async () => {
  const { state, source } = formOf([field("project", "atlas"), file, field("issue", "7")]);
  const refusal = withFileForm(schema, source, async () => {
    throw conflict("too late");
  });
  expect(await refusal.catch((error) => error)).toMatchObject({ status: 409 });
  expect(state.isClosed).toBe(true);
});
