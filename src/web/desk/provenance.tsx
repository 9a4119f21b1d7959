/** How a file was made, as its upload and the file itself say, and what publishing would tell the world. */

import type { ComponentChildren } from "preact";
import type { Provenance, Signature, SignatureState } from "../../files/provenance/schema.ts";
import type { Asset, AssetDetail } from "../../library/assets/schema.ts";
import { removeMetadata } from "../../library/operations/assets.ts";
import { hasScope, PostForm } from "../layout.tsx";
import { Time } from "../time.tsx";
import { callOperation, type View } from "../view.ts";

const sources: Record<Provenance["source"], string> = {
  upload: "Given with the upload",
  png: "The file says (PNG text)",
  exif: "The file says (Exif)",
  xmp: "The file says (XMP)",
  c2pa: "The file has a C2PA manifest",
  tags: "The file says (tags)",
};

const facts: [Exclude<keyof Provenance, "signature">, string][] = [
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
  const canRemove = status === "pending" && provenance.some(isInFile);
  return (
    <section>
      <h2>Made with</h2>
      {provenance.map((stated) => (
        <Stated key={stated.source} stated={stated} />
      ))}
      {canRemove && hasScope(view, "assets:write") && (
        <PostForm view={view} action={`/assets/${id}/remove-metadata`}>
          <button type="submit">Make a version without this metadata</button>
        </PostForm>
      )}
    </section>
  );
}

const Stated = ({ stated }: { stated: Provenance }) => (
  <>
    <h3>{sources[stated.source]}</h3>
    {stated.source === "c2pa" && <SignatureResult signature={stated.signature} />}
    <dl class="about">
      {stated.signature && <SignatureFacts {...stated.signature} />}
      {facts.map(([name, label]) => (
        <Fact key={name} label={label}>
          {stated[name]}
        </Fact>
      ))}
    </dl>
  </>
);

const signatureStates: Record<SignatureState, [className: string, text: string]> = {
  valid: ["notice good", "Signed and unchanged. This server trusts the signer."],
  untrusted: ["notice warning", "Signed and unchanged, but this server does not know the signer."],
  changed: ["notice", "The file was changed after it was signed."],
  invalid: ["notice", "The signature is not valid."],
};

const SignatureResult = ({ signature }: { signature: Signature | undefined }) =>
  signature ? (
    <p class={signatureStates[signature.state][0]}>{signatureStates[signature.state][1]}</p>
  ) : (
    <p class="soft">Not checked: c2patool is not installed on this server, or could not read it.</p>
  );

const SignatureFacts = ({ signed_by, signed_at, ingredients }: Signature) => (
  <>
    <Fact label="Signed by">{signed_by}</Fact>
    <Fact label="Signed">{signed_at && <Time ts={signed_at} />}</Fact>
    {ingredients.map(({ title, state }, index) => (
      <Fact key={index} label="Made from">
        {title === null ? "a file without a title" : <bdi>{title}</bdi>}
        {state === "changed" && ", which was changed after it was signed"}
      </Fact>
    ))}
  </>
);

const Fact = ({ label, children }: { label: string; children: ComponentChildren }) =>
  children ? (
    <div>
      <dt>{label}</dt>
      <dd class="stated">{children}</dd>
    </div>
  ) : null;

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
