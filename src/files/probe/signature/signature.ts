/** The signature of a C2PA manifest, checked by c2patool: without a network, in the sandbox of all helpers. */
import type { Provenance } from "../../provenance/schema.ts";
import { findProgram } from "../helper-programs.ts";
import type { Inspection } from "../kind.ts";
import { limits } from "../limits.ts";
import type { FileSource } from "../port.ts";
import { withTempFolder } from "../sandbox/temp-folder.ts";
import { bytesSource, copyToFile } from "../source.ts";
import type { ImageTools } from "../thumbnails/thumbnail.ts";
import { parseReport } from "./report.ts";

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
