/** @jsxImportSource preact */
/** How a file was made, as its upload and the file itself say, and what publishing would tell the world. */
import type { Asset, AssetDetail } from "../../assets/schema.ts";
import { removeMetadata } from "../../operations/assets.ts";
import type { Provenance } from "../../provenance/schema.ts";
import { CsrfField, hasScope } from "../layout.tsx";
import { callOperation, type View } from "../view.ts";

const sources: Record<Provenance["source"], string> = {
  upload: "Given with the upload",
  png: "The file says (PNG text)",
  exif: "The file says (Exif)",
  xmp: "The file says (XMP)",
  c2pa: "The file has a C2PA manifest",
};

const facts: [keyof Provenance, string][] = [
  ["generator", "Program"],
  ["model", "Model"],
  ["prompt", "Prompt"],
  ["negative_prompt", "Avoid"],
  ["seed", "Seed"],
  ["parameters", "Parameters"],
];

const isInFile = ({ source }: Provenance): boolean => source !== "upload";
const carriesPrompt = ({ provenance }: AssetDetail): boolean =>
  provenance.some((stated) => isInFile(stated) && stated.prompt !== null);

export function ProvenanceSection({ asset, view }: { asset: AssetDetail; view: View }) {
  const { provenance, status, id } = asset;
  if (provenance.length === 0) return null;
  const canRemove = status === "pending" && provenance.some(isInFile) && asset.kind === "image";
  return (
    <section>
      <h2>Made with</h2>
      {provenance.map((stated) => (
        <Stated key={stated.source} stated={stated} />
      ))}
      {canRemove && hasScope(view, "assets:write") && (
        <form method="post" action={`/assets/${id}/remove-metadata`}>
          <CsrfField token={view.visitor.csrf} />
          <button type="submit">Make a version without this metadata</button>
        </form>
      )}
    </section>
  );
}

const Stated = ({ stated }: { stated: Provenance }) => (
  <>
    <h3>{sources[stated.source]}</h3>
    {stated.source === "c2pa" && <p class="soft">svc has not checked it.</p>}
    <dl class="about">
      {facts.map(([name, label]) =>
        stated[name] === null ? null : (
          <div key={name}>
            <dt>{label}</dt>
            <dd class="stated">{stated[name]}</dd>
          </div>
        ),
      )}
    </dl>
  </>
);

/** Beside the button that publishes. */
export const PromptWarning = ({ asset }: { asset: AssetDetail }) =>
  carriesPrompt(asset) && (
    <p class="notice warning">
      The file contains its prompt, and publishing makes that public. To avoid it, upload a version without
      the metadata.
    </p>
  );

/** @returns the path of the new version's page */
export async function submitMetadataRemoval(view: View): Promise<string> {
  const { id } = await callOperation<Asset>(view, removeMetadata, { id: view.params.id ?? "" });
  return `/assets/${id}`;
}
