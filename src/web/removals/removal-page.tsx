/** The page that unpublishes an asset, or deletes its files: what goes, and a reason for it. */
import { isAdmin } from "../../core/auth/permissions.ts";
import { deleteAssetFiles, previewRemoval, unpublishAsset } from "../../library/operations/removals.ts";
import type { Removal, RemovalPreview } from "../../library/removals/schema.ts";
import { Actor } from "../actor.tsx";
import { formatBytes, formatCount } from "../format.ts";
import { PostForm } from "../layout.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { Notice } from "../notice.tsx";
import { Time } from "../time.tsx";
import { callOperation, type Form, orRefusal, type Page, type View } from "../view.ts";
import { removalTitle } from "./removal-table.tsx";

export const removalPath = (id: string): string => `/assets/${id}/removal`;

/** @param why a form was refused */
export async function removalPage(view: View, why?: string): Promise<Page> {
  const id = view.params.id ?? "";
  const preview = await callOperation<RemovalPreview>(view, previewRemoval, { id });
  const own = preview.versions.find((one) => one.id === id);
  const hasFiles = preview.versions.some((one) => one.has_file || one.public_url);
  const body = (
    <>
      <div class="head">
        <p class="crumbs">
          <a href="/assets">Assets</a> / <a href={`/assets/${id}`}>{preview.title}</a>
        </p>
        <h1>Unpublish or delete</h1>
      </div>
      <Notice text={why} />
      <Removals removals={preview.removals} />
      <div class="settings">
        <Versions preview={preview} id={id} />
        {own?.public_url && <UnpublishForm view={view} id={id} />}
        {hasFiles && <DeleteForm view={view} id={id} preview={preview} />}
      </div>
    </>
  );
  return { title: `Unpublish or delete ${preview.title}`, navEntry: "assets", body };
}

/** What was taken back of an asset, by whom and why. */
export const Removals = ({ removals }: { removals: readonly Removal[] }) => (
  <>
    {removals.map((removal) => (
      <p key={removal.kind} class="notice warning">
        {removalTitle(removal)} by <Actor of={removal.removed_by} /> <Time ts={removal.removed_at} />:{" "}
        {removal.reason}
        {removal.finished_at === null && " The store has not deleted the files yet; svc tries again."}
      </p>
    ))}
  </>
);

const versionColumns = (id: string): readonly Column<RemovalPreview["versions"][number]>[] => [
  {
    label: "Version",
    isName: true,
    cell: (one) => (
      <>
        <a href={`/assets/${one.id}`}>Version {one.version}</a>
        {one.id === id && <span class="soft"> (this one)</span>}
      </>
    ),
  },
  { label: "Size", cell: ({ has_file, size }) => (has_file ? formatBytes(size) : "deleted") },
  { label: "File", cell: ({ url }) => (url ? <a href={url}>Open file</a> : "–") },
  {
    label: "Permanent URL",
    class: "grow",
    cell: ({ public_url }) => (public_url ? <a href={public_url}>{public_url}</a> : "–"),
  },
];

const Versions = ({ preview, id }: { preview: RemovalPreview; id: string }) => (
  <section>
    <h2>Files</h2>
    <Table
      label="Files of all versions"
      columns={versionColumns(id)}
      rows={preview.versions}
      keyOf={(one) => one.id}
    />
    {preview.shares > 0 && (
      <p class="soft">
        {formatCount(preview.shares)} share {preview.shares === 1 ? "link shows" : "links show"} this asset.
      </p>
    )}
    {preview.same_file.length > 0 && (
      <p class="soft">
        The same file is also in{" "}
        {preview.same_file.map((other, index) => (
          <>
            {index > 0 && ", "}
            <a href={removalPath(other)}>another asset</a>
          </>
        ))}
        , which keeps it.
      </p>
    )}
  </section>
);

interface FormProps {
  view: View;
  id: string;
}

const ReasonField = () => (
  <label class="reason">
    Reason <input name="reason" required maxLength={1024} autoComplete="off" />
  </label>
);

const UnpublishForm = ({ view, id }: FormProps) => (
  <section>
    <h2>Unpublish</h2>
    <p class="soft">
      The permanent URL answers that the file was unpublished. Copies in caches end within an hour. The file
      stays here, and can be published again.
    </p>
    <PostForm view={view} action={`/assets/${id}/unpublish`} class="filters">
      <ReasonField />
      <button type="submit" class="danger">
        Unpublish
      </button>
    </PostForm>
  </section>
);

const DeleteForm = ({ view, id, preview }: FormProps & { preview: RemovalPreview }) => (
  <section>
    <h2>Delete the files</h2>
    <p class="soft">
      Deletes the file, its thumbnail and everything made from it, and unpublishes it. The hash, the reviews,
      your name and the reason stay. There is no undo; a backup made before has the file.
    </p>
    {isAdmin(view.visitor.caller) ? (
      <PostForm view={view} action={`/assets/${id}/delete-files`} class="filters">
        <ReasonField />
        {preview.versions.length > 1 && (
          <label class="check">
            <input type="checkbox" name="all_versions" value="1" /> All {preview.versions.length} versions
          </label>
        )}
        <button type="submit" class="danger">
          Delete the files
        </button>
      </PostForm>
    ) : (
      <p>Only an admin can delete files.</p>
    )}
  </section>
);

const operations = { unpublish: unpublishAsset, "delete-files": deleteAssetFiles };

/** @returns the URL to redirect to, or the page that says why not */
export async function submitRemoval(
  view: View,
  form: Form,
  action: keyof typeof operations,
): Promise<string | Page> {
  const id = view.params.id ?? "";
  const input = { id, reason: form.get("reason")?.trim() };
  const extent = action === "delete-files" ? { all_versions: form.has("all_versions") } : {};
  const work = async () => {
    await callOperation(view, operations[action], { ...input, ...extent });
    return removalPath(id);
  };
  return orRefusal([400, 409], work, (why) => removalPage(view, why));
}
