/** @jsxImportSource preact */
/** A form that takes files: dropped, pasted or picked with scripts, sent whole without. */
import type { ComponentChildren } from "preact";
import { Csrf } from "./layout.tsx";
import { filePath } from "./routes.ts";
import type { View } from "./view.ts";

/** `data-upload` is the origin of uploaded bytes, which is this server too. */
export const FileForm = ({
  view,
  label,
  children,
}: {
  view: View;
  label: string;
  children: ComponentChildren;
}) => (
  <form
    class="drop"
    method="post"
    action={filePath}
    encType="multipart/form-data"
    data-upload={view.ctx.config.contentUrl}
    aria-label={label}
  >
    <Csrf token={view.visitor.csrf} />
    {children}
    <button type="submit">Send</button>
    <ul class="uploads" aria-live="polite" />
  </form>
);

export const Picker = ({ label, multiple = false }: { label: string; multiple?: boolean }) => (
  <label class="button">
    {label}
    <input type="file" name="file" class="unseen" multiple={multiple} />
  </label>
);

/** Where the bytes of an upload go besides the site: the bucket, where the store is one. */
export function bucketOf({ ctx: { store } }: View): string[] {
  return store?.baseUrl ? [new URL(store.baseUrl).origin] : [];
}
