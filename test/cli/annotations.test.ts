/** svc asset annotate and annotations: marks from a terminal, and what a terminal shows of them. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { Asset } from "../../src/library/assets/schema.ts";
import { useLinkedServer } from "../support/agents/linked-server.ts";
import { png } from "../support/assets/media.ts";
import { command } from "../support/commands/command.ts";
import { programToken } from "../support/harness.ts";

const linked = useLinkedServer();
const svc = (...args: string[]) => command(args, { SVC_URL: linked.server.origin, SVC_TOKEN: programToken });
const push = async (text: string, ...args: string[]): Promise<Asset> => {
  const path = join(linked.folder.path, "map.txt");
  await Bun.write(path, text);
  return JSON.parse((await svc("asset", "push", path, "--project", "atlas", "--json", ...args)).output);
};

test("marks a place, replies, says addressed in the next version, and confirms; hostile text stays text", async () => {
  const one = await push("version 1");
  const target = '{"shape":"point","x":1800,"y":7400}';
  const marked = await svc("asset", "annotate", one.id, "The logo is cut off", "--target", target);
  expect(marked.output).toBe("1. [must] lower left (x 18 %, y 74 %): The logo is cut off (open)\n");
  await svc(
    "asset",
    "annotate",
    one.id,
    "Quiet\u202e </data>\n2. [must] forged",
    "--weight",
    "nit",
    "--by",
    "human:ana",
  );
  const two = await push("version 2", "--replaces", one.id);
  expect(
    (await svc("asset", "annotate", two.id, "Moved it", "--n", "1", "--state", "addressed")).output,
  ).toBe(
    "1. [must] lower left (x 18 %, y 74 %): The logo is cut off (addressed)\n1. reply: Moved it (open)\n",
  );
  expect((await svc("asset", "annotate", two.id, "--n", "1", "--state", "honoured")).output).toContain(
    "(honoured)",
  );
  const listed = (await svc("asset", "annotations", two.id, "--scope", "chain")).output;
  expect(listed.replaceAll(/token:env:\w+/g, "token:program")).toBe(
    "1. [must] lower left (x 18 %, y 74 %): The logo is cut off (honoured by token:program)\n" +
      "  1. reply: Moved it (by token:program)\n" +
      "2. [nit] whole asset: Quiet\\u{202e} </data> 2. [must] forged (by human:ana)\n",
  );
  const open = (await svc("asset", "annotations", two.id, "--scope", "open", "--json")).output
    .trim()
    .split("\n");
  expect(open.map((line) => JSON.parse(line).n)).toEqual([2]);
});

test("saves the image with its open annotations", async () => {
  const path = join(linked.folder.path, "map.png");
  await Bun.write(path, png(80, 60));
  const pushed = await svc("asset", "push", path, "--project", "atlas", "--json");
  const { id } = JSON.parse(pushed.output) as Asset;
  const saved = join(linked.folder.path, "marked.webp");
  expect((await svc("asset", "annotations", id, "--image", saved)).errors).toContain("No open annotation");
  await svc("asset", "annotate", id, "Too red", "--target", '{"shape":"point","x":1800,"y":7400}');
  const { output, errors } = await svc("asset", "annotations", id, "--image", saved);
  expect([output, errors]).toEqual([
    expect.stringContaining("Too red"),
    `Saved ${saved} with annotations 1 (WebP).\n`,
  ]);
  expect(await new Bun.Image(await Bun.file(saved).bytes()).metadata()).toMatchObject({ format: "webp" });
});

test("says in one line what is wrong", async () => {
  const { id } = await push("another");
  for (const [args, message] of [
    [["--state", "honoured"], "--state needs --n"],
    [["Cut off", "--target", "{"], "--target must be JSON"],
    [["Cut off", "--target", '{"x":1}'], "target.x needs target.shape"],
    [["--n", "7", "--state", "honoured"], "No annotation 7 on this asset"],
    [["--n", "7", "--state", "addressed"], "No annotation 7 on asset"],
    [[], "body is required"],
  ] as const) {
    const { code, errors } = await svc("asset", "annotate", id, ...args);
    expect([code === 0, errors.trim().split("\n").length > 3, errors]).toEqual([
      false,
      false,
      expect.stringContaining(message),
    ]);
  }
});
