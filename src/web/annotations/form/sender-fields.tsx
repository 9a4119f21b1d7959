/** Who sends a form: the session of a visitor, and the name that people without a token type. */
import { nameBytesMax } from "../../../library/shares/schema.ts";
import { CsrfField } from "../../layout.tsx";
import type { AnnotationForms, Sender } from "../asset-annotations.ts";

export const SenderFields = ({ forms: { csrf, sender } }: { forms: AnnotationForms }) => (
  <>
    <CsrfField token={csrf} />
    {sender && <NameField sender={sender} />}
  </>
);

export const NameField = ({ sender: { name, isFixed } }: { sender: Sender }) =>
  isFixed ? (
    <p class="soft">
      You are <bdi>{name}</bdi>: this link was made for you.
    </p>
  ) : (
    <label>
      Your name
      <input name="name" required maxLength={nameBytesMax} autocomplete="name" value={name} />
    </label>
  );
