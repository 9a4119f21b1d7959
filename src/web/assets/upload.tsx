/** The upload form: with scripts files are dropped, pasted, or picked; without, it is an ordinary form. */
import type { ComponentChildren } from "preact";
import { PostForm } from "../layout.tsx";
import { uploadPath } from "../routes.ts";
import type { View } from "../view.ts";

/** `data-upload` is the content origin, which this server answers too. */
export const UploadForm = ({
  view,
  label,
  children,
}: {
  view: View;
  label: string;
  children: ComponentChildren;
}) => (
  <PostForm
    view={view}
    class="drop"
    action={uploadPath}
    encType="multipart/form-data"
    data-upload={view.ctx.config.contentUrl}
    aria-label={label}
  >
    {children}
    <button type="submit">Upload</button>
    <ul class="uploads" aria-live="polite" />
  </PostForm>
);

export const FilePicker = ({ label, multiple = false }: { label: string; multiple?: boolean }) => (
  <label class="button">
    {label}
    <input type="file" name="file" class="visually-hidden" multiple={multiple} />
  </label>
);

/** The origin of the bucket, for the Content-Security-Policy: browsers upload to it directly. */
export function bucketOrigins({ ctx: { store } }: View): string[] {
  return store?.baseUrl ? [new URL(store.baseUrl).origin] : [];
}
