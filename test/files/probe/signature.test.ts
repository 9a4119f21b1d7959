/**
 * The signature of a C2PA manifest. The reports are recorded from c2patool 0.27.22; the program itself is a
 * stub here, since it cannot be assumed on every machine.
 */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { readConfig } from "../../../src/core/config.ts";
import { parseReport } from "../../../src/files/probe/signature/signature.ts";
import { bytesSource } from "../../../src/files/probe/source.ts";
import type { Signature } from "../../../src/files/provenance/schema.ts";
import { jpegWith, manifestSegment } from "../../support/assets/described-images.ts";
import { helper, open, root } from "../../support/assets/test-probe.ts";
import { must } from "../../support/harness.ts";
import { useTemporaryFolder } from "../../support/use-temporary-folder.ts";

useTemporaryFolder();

const pathOf = (name: string) => join(root, `test/support/c2pa/${name}.json`);
const recorded = (name: string) => Bun.file(pathOf(name)).text();
const tester = "C2PA Signer, C2PA Test Signing Cert";

const reports: [what: string, name: string, generator: string, parameters: string | null, Signature][] = [
  [
    "a file that is unchanged and signed by a trusted authority, with a time stamp",
    "trusted",
    "make_test_images/0.12.0 c2pa-rs/0.12.0",
    null,
    { state: "valid", signed_by: tester, signed_at: "2022-08-19T19:03:41.000000Z", ingredients: [] },
  ],
  [
    "a file with a signature that anyone can make",
    "untrusted",
    "selfie 1",
    null,
    { state: "untrusted", signed_by: "Self, Nobody", signed_at: null, ingredients: [noTitle(null)] },
  ],
  [
    "a file that was changed after it was signed",
    "changed",
    "harbor-painter 1.2",
    "made by a model",
    { state: "changed", signed_by: tester, signed_at: null, ingredients: [] },
  ],
  [
    "a file made from one that had been changed",
    "ingredient-changed",
    "harbor-editor 2",
    null,
    { state: "valid", signed_by: tester, signed_at: null, ingredients: [noTitle("changed")] },
  ],
];

function noTitle(state: Signature["state"] | null) {
  return { title: null, state };
}

describe("a recorded report of c2patool is read for", () => {
  test.each(reports)("%s", async (_, name, generator, parameters, signature) => {
    expect(must(parseReport(await recorded(name)))).toMatchObject({
      ...{ source: "c2pa", generator, model: null, prompt: null, parameters, signature },
    });
  });

  test("an expired certificate (the recorded report, with another code)", async () => {
    const report = (await recorded("changed")).replaceAll("assertion.dataHash.mismatch", "claim.expired");
    expect(parseReport(report)?.signature?.state).toBe("invalid");
  });

  test("names with escapes and without an end: they are clean and short", async () => {
    const name = `\\u001b[31mred\\u202e ${"long ".repeat(1000)}`;
    const report = (await recorded("trusted")).replaceAll("C2PA Signer", name);
    const { signed_by } = must(parseReport(report)?.signature);
    expect(signed_by).toStartWith("red long long");
    expect(Buffer.byteLength(must(signed_by))).toBeLessThanOrEqual(255);
  });

  test("what is no report: nothing", async () => {
    const report = JSON.parse(await recorded("trusted"));
    const others = [
      ...["", "[]", "null", "{", "0".repeat(100)],
      JSON.stringify({ ...report, active_manifest: "__proto__" }),
      JSON.stringify({ ...report, validation_state: "Perfect" }),
      JSON.stringify({ ...report, manifests: { [report.active_manifest]: { claim_generator_info: [1] } } }),
    ];
    expect(others.map(parseReport)).toEqual(others.map(() => null));
  });
});

test("SVC_C2PA_TRUST is a file of certificates", async () => {
  expect(() => readConfig({ SVC_C2PA_TRUST: "/none" })).toThrow("SVC_C2PA_TRUST: /none cannot be read");
  expect(() => readConfig({ SVC_C2PA_TRUST: pathOf("trusted") })).toThrow("holds no certificate");
});

describe("an inspection, with a stub in place of c2patool,", () => {
  const inspect = async (words: string | null, childMs = 5_000) => {
    const path = words === null ? "" : await helper("c2patool", words);
    const probe = open({ path, limits: { childMs } });
    const { provenance } = await probe.inspect(bytesSource(await jpegWith(manifestSegment)));
    return { stated: must(provenance?.[0]), reasons: probe.logged.map(({ fields }) => fields.reason) };
  };

  test("hands it a copy of the file, and settings that keep it off the network", async () => {
    const { stated } = await inspect(
      `[ "$1" = --settings ] && grep -q '"remote_manifest_fetch":false,"ocsp_fetch":false' "$2" &&
       grep -q "jumb c2pa" "$3" && [ "\${3##*.}" = jpg ] && [ -z "$HOME" ] && cat '${pathOf("trusted")}'`,
    );
    expect(stated.signature?.state).toBe("valid");
  });

  const failures: [what: string, words: string | null, reason: string | null][] = [
    ["it is not installed", null, null],
    ["it fails", "exit 1", null],
    ["it prints garbage", "echo garbage", null],
    ["it prints 100 MB", "head -c 100000000 /dev/zero | tr '\\0' x", null],
    ["it fails after a report", `cat '${pathOf("trusted")}'; exit 1`, null],
    ["it hangs", "while :; do :; done", "exceeded its time limit"],
  ];
  test.each(failures)("reports the presence of the manifest alone if %s", async (_, words, reason) => {
    const { stated, reasons } = await inspect(words, reason === null ? 5_000 : 1_500);
    expect(stated.source).toBe("c2pa");
    expect(stated.signature).toBeUndefined();
    expect(reasons).toEqual(reason === null ? [] : [reason]);
  });
});
