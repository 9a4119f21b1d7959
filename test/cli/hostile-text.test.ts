/** Escape sequences, bidi controls and line breaks of others reach no terminal, whichever command shows them. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { adminCaller } from "../../src/core/auth/caller.ts";
import { allScopes } from "../../src/core/auth/scopes.ts";
import { annotate } from "../../src/library/annotations/annotate.ts";
import { respond } from "../../src/library/annotations/respond.ts";
import { setChecklist } from "../../src/library/checklists/checklists.ts";
import { requestReview } from "../../src/library/review-requests/request.ts";
import { reviewSet } from "../../src/library/variant-sets/review.ts";
import { reviewAsset } from "../../src/library/verdicts/review.ts";
import { program } from "../support/harness.ts";
import { type Library, openLibrary } from "../support/library.ts";

/** Clears the screen, colors, links (OSC 8), writes the clipboard (OSC 52), moves up (C1), and overwrites. */
const text =
  "EVIL\u001b[2J\u001b[31mred\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007\u001b]52;c;RVZJTA==\u0007" +
  "\u009b1A\rEVIL \u202egnp.exe\u2066\u200b\nEVIL line";
const set = "EVIL \u202egnp.exe\u2066";
const evil = { ...adminCaller, actor: `human:${text}` };
const controls = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

let library: Library;
let svc: (...args: string[]) => ReturnType<typeof program>;
let rejected = "";
let pending = "";
beforeAll(async () => {
  library = await openLibrary("sqlite", "disk");
  const env = { SVC_TOKEN: await library.mint(allScopes, { name: "ana" }), SVC_URL: library.listen() };
  svc = (...args) => program(args, { ...env, SVC_DATA_DIR: "/nowhere/at/all" });
  const { ctx } = library;
  // Past the schemas, which refuse controls: rows can be older than a rule, or come from a backup.
  const { version, items } = await setChecklist(
    ctx,
    { slug: "atlas", kind: "file", items: [{ text }] },
    evil,
  );
  const answers = items.map(({ id }) => ({ id, result: "fail" as const, note: text }));
  const plant = (more = {}) => library.plant({ title: text, created_by: evil.actor, ...more });
  rejected = (await plant()).id;
  const mark = { id: rejected, body: text, target: { css: text, file: text, quote: { exact: text } } };
  await annotate(ctx, { ...mark, weight: "must" }, evil);
  await respond(ctx, { id: rejected, n: 1, reply: text }, evil);
  const verdict = { decision: "rejected" as const, note: text, checklist: { version, answers } };
  await reviewAsset(ctx, { id: rejected, ...verdict }, evil);
  pending = (await plant()).id;
  await requestReview(ctx, { id: pending, question: text }, evil);
  const { id } = await plant({ set });
  const variants = [{ id, decision: "rejected" as const }];
  await reviewSet(ctx, { project: "atlas", set, variants, note: text }, evil);
});
afterAll(() => library.close());

test("svc shows hostile text with escapes, in its own line", async () => {
  const commands = [
    ["asset", "annotations", rejected],
    ["asset", "show", rejected],
    ["asset", "show", pending],
    ["asset", "list"],
    ["asset", "wait", rejected],
    ["asset", "wait", "--set", set, "--project", "atlas"],
    ["asset", "annotate", rejected, "--n", "1", "--state", "honoured"],
    ["checklist", "show", "atlas", "file"],
    ["checklist", "list", "atlas"],
    ["feed", "--project", "atlas", "--limit", "20"],
    ["inbox"],
    ["today"],
    ["recall", "EVIL"],
    ["brief", "atlas", "EVIL"],
  ];
  for (const command of commands) {
    const { output, errors } = await svc(...command);
    const shown = output + errors;
    expect([command, shown]).toEqual([command, expect.stringContaining("EVIL")]);
    expect([command, shown]).toEqual([command, expect.not.stringMatching(controls)]);
    if (!/brief|recall/.test(command[0] as string))
      expect([command, shown]).toEqual([command, expect.not.stringMatching(/^EVIL line/m)]);
  }
});
