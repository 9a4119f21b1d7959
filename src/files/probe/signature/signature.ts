/** The signature of a C2PA manifest, checked by c2patool: without a network, in the sandbox of all helpers. */

import { type Static, Type } from "@sinclair/typebox";
import { cleanLine } from "../../../core/lib/strings/clean-text.ts";
import { fromMicros, parseMicros } from "../../../core/lib/time.ts";
import { checker } from "../../../core/lib/validate.ts";
import {
  ingredientsMax,
  nameBytesMax,
  type Provenance,
  type Signature,
  type SignatureState,
} from "../../provenance/schema.ts";
import { findProgram } from "../helper-programs.ts";
import type { Inspection } from "../kind.ts";
import { limits } from "../limits.ts";
import type { FileSource } from "../port.ts";
import { nothing } from "../provenance/generators.ts";
import { describeSourceType } from "../provenance/xmp.ts";
import type { ImageTools } from "../sandbox/process-runner.ts";
import { withTempFolder } from "../sandbox/temp-folder.ts";
import { bytesSource, copyToFile } from "../source.ts";

/** c2patool takes the format of a file from the extension of its name. */
const extensions = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
  ["image/webp", "webp"],
  ["video/mp4", "mp4"],
  ["video/x-m4v", "mp4"],
  ["video/quicktime", "mov"],
  ["audio/mp4", "m4a"],
]);

interface SignatureTools extends Omit<ImageTools, "command"> {
  /** Certificates in PEM of the authorities whose signers are trusted. */
  trustAnchors: string;
}

/** No manifest that is stored elsewhere, and no list of revoked certificates, is fetched. */
const settings = (trustAnchors: string) =>
  JSON.stringify({
    verify: { remote_manifest_fetch: false, ocsp_fetch: false },
    ...(trustAnchors && { trust: { trust_anchors: trustAnchors } }),
  });

export const hasManifest = ({ provenance = [] }: Inspection): boolean =>
  provenance.some(({ source }) => source === "c2pa");

/** The inspection with what the manifest says; unchanged if it cannot be checked, or without c2patool. */
export async function withSignature(
  tools: SignatureTools,
  source: FileSource,
  inspection: Inspection,
): Promise<Inspection> {
  const { provenance = [], mime } = inspection;
  const signed = await checkSignature(tools, source, mime);
  return signed
    ? { ...inspection, provenance: provenance.map((stated) => (stated.source === "c2pa" ? signed : stated)) }
    : inspection;
}

async function checkSignature(
  { run, path, bounds, log, trustAnchors }: SignatureTools,
  source: FileSource,
  mime: string,
): Promise<Provenance | null> {
  const program = findProgram("c2patool", path);
  const extension = extensions.get(mime);
  if (!program || !extension) return null;
  return withTempFolder(async (folder) => {
    const [file, settingsFile] = [`${folder}/file.${extension}`, `${folder}/settings.json`];
    const settingsSource = bytesSource(Buffer.from(settings(trustAnchors)));
    for (const [from, to] of [
      [source, file],
      [settingsSource, settingsFile],
    ] as const)
      if (!(await copyToFile(from, to, { timeMs: bounds.sourceMs, log }))) return null;
    const command = [program, "--settings", settingsFile, file];
    const report = await run(command, folder, "signature", (tool) => tool.readAll(limits.reportBytes));
    return report && parseReport(Buffer.from(report).toString());
  });
}

// The report of c2patool: only the fields that are used, checked and cleaned.

const optionalText = Type.Optional(Type.String());
const Statuses = Type.Array(Type.Object({ code: Type.String() }));
const Results = Type.Object({ activeManifest: Type.Optional(Type.Object({ failure: Statuses })) });

const Manifest = Type.Object({
  claim_generator: optionalText,
  claim_generator_info: Type.Optional(
    Type.Array(Type.Object({ name: optionalText, version: optionalText }), { minItems: 1 }),
  ),
  assertions: Type.Optional(Type.Array(Type.Object({ label: Type.String(), data: Type.Unknown() }))),
  signature_info: Type.Optional(
    Type.Object({ issuer: optionalText, common_name: optionalText, time: optionalText }),
  ),
  ingredients: Type.Optional(
    Type.Array(Type.Object({ title: optionalText, validation_results: Type.Optional(Results) })),
  ),
});
type Manifest = Static<typeof Manifest>;

const Report = Type.Object({
  active_manifest: Type.String(),
  manifests: Type.Record(Type.String(), Manifest),
  validation_state: Type.Union(["Invalid", "Valid", "Trusted"].map((state) => Type.Literal(state))),
  validation_status: Type.Optional(Statuses),
});
const Actions = Type.Object({ actions: Type.Array(Type.Object({ digitalSourceType: optionalText })) });

/** What the manifest says, and the state of its signature. Null if this is no report. */
export function parseReport(text: string): Provenance | null {
  const report = parseJson(text);
  if (!checker(Report).Check(report)) return null;
  const { active_manifest, manifests, validation_state, validation_status } = report as Static<typeof Report>;
  const manifest = Object.hasOwn(manifests, active_manifest) ? manifests[active_manifest] : undefined;
  if (!manifest) return null;
  return {
    source: "c2pa",
    ...nothing,
    generator: generatorOf(manifest),
    parameters: sourceTypeOf(manifest),
    signature: signatureOf(manifest, stateOf(codesOf(validation_status), validation_state === "Trusted")),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const codesOf = (statuses: Static<typeof Statuses> = []): string[] => statuses.map(({ code }) => code);

/** @param failures codes of the C2PA specification, 15.2; that of an unknown signer among them */
function stateOf(failures: string[], isTrusted: boolean): SignatureState {
  const others = failures.filter((code) => code !== "signingCredential.untrusted");
  if (others.some((code) => /\.(mismatch|missing)$/.test(code))) return "changed";
  if (others.length > 0) return "invalid";
  return isTrusted ? "valid" : "untrusted";
}

function signatureOf({ signature_info = {}, ingredients = [] }: Manifest, state: SignatureState): Signature {
  const { common_name = "", issuer = "", time = "" } = signature_info;
  const signedAt = parseMicros(time);
  return {
    state,
    signed_by: line([...new Set([common_name, issuer])].filter(Boolean).join(", ")),
    signed_at: signedAt === null ? null : fromMicros(signedAt),
    ingredients: ingredients.slice(0, ingredientsMax).map(({ title = "", validation_results }) => {
      const failures =
        validation_results?.activeManifest && codesOf(validation_results.activeManifest.failure);
      const isTrusted = !failures?.includes("signingCredential.untrusted");
      return { title: line(title), state: failures ? stateOf(failures, isTrusted) : null };
    }),
  };
}

const line = (text: string): string | null => cleanLine(text, nameBytesMax) || null;

function generatorOf({ claim_generator_info, claim_generator = "" }: Manifest): string | null {
  const { name = claim_generator, version = "" } = claim_generator_info?.[0] ?? {};
  return line(`${name} ${version}`);
}

/** Of the action that created the file. */
function sourceTypeOf({ assertions = [] }: Manifest): string | null {
  const actions = assertions.flatMap(({ label, data }) =>
    /^c2pa\.actions(\.v\d+)?$/.test(label) && checker(Actions).Check(data)
      ? (data as Static<typeof Actions>).actions
      : [],
  );
  const types = actions.map(({ digitalSourceType = "" }) => describeSourceType(digitalSourceType));
  return types.find((type) => type !== null) ?? null;
}
