/** @jsxImportSource preact */
/** Who sends a form: the session of a visitor, and the name that people without a token type. */
import { CsrfField } from "../../layout.tsx";
import type { AnnotationForms } from "../asset-annotations.ts";

export const SenderFields = ({ forms: { csrf, guestName } }: { forms: AnnotationForms }) => (
  <>
    <CsrfField token={csrf} />
    {guestName !== undefined && <NameField name={guestName} />}
  </>
);

export const NameField = ({ name }: { name: string }) => (
  <label>
    Your name
    <input name="name" required maxLength={64} autocomplete="name" value={name} />
  </label>
);
