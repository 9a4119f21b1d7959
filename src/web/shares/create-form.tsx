/** The form that creates a share link. It works without scripts. */

import { isAdmin } from "../../core/auth/permissions.ts";
import type { Config } from "../../core/config.ts";
import { assetKinds } from "../../library/assets/schema.ts";
import { rightsText, type ShareAnnotations, type ShareFollows } from "../../library/shares/schema.ts";
import { reviewRoleOf } from "../../library/verdicts/verdict.ts";
import { PostForm, Submit } from "../layout.tsx";
import type { Form, View } from "../view.ts";

export const annotationsLabels: Record<ShareAnnotations, string> = {
  own: "Their own",
  all: "All, without names",
};
export const followsLabels: Record<ShareFollows, string> = {
  fixed: "This version only",
  latest: "Always the newest version",
};
/** The choices of the form, by their days. */
const lifetimes = { 1: "1 day", 7: "1 week", 14: "2 weeks", 28: "4 weeks", 56: "8 weeks", 84: "12 weeks" };
export const lifetimeDefault = 14;

/** Those that this deployment allows. */
export const lifetimesOf = ({
  shareDaysMax,
}: Pick<Config, "shareDaysMax">): [days: string, label: string][] =>
  Object.entries(lifetimes).filter(([days]) => Number(days) <= shareDaysMax);

interface ChoiceProps {
  label: string;
  name: string;
  labels: object;
  chosen: string;
}

const Choice = ({ label, name, labels, chosen }: ChoiceProps) => (
  <label>
    {label}
    <select name={name}>
      {Object.entries(labels).map(([value, text]) => (
        <option key={value} value={value} selected={value === chosen}>
          {text}
        </option>
      ))}
    </select>
  </label>
);

/** What the link is to: an asset, a set, or the review queue of a project. */
export type FormSubject = { id: string } | { project: string; set: string | null };

interface ProjectFieldsProps {
  set: string | null;
  sent: Form;
}

/** What of a project the link shows. */
const ProjectFields = ({ set, sent }: ProjectFieldsProps) =>
  set === null ? (
    <>
      <Choice
        label="Files they see"
        name="kind"
        labels={{ "": "All kinds", ...Object.fromEntries(assetKinds.map((kind) => [kind, kind])) }}
        chosen={sent.get("kind") ?? ""}
      />
      <label>
        Only with this tag (optional)
        <input name="tag" maxLength={64} value={sent.get("tag")} />
      </label>
    </>
  ) : (
    <input type="hidden" name="set" value={set} />
  );

interface CreateShareFormProps {
  view: View;
  subject: FormSubject;
  /** What was sent before, if it was refused. */
  sent?: Form;
}

export function CreateShareForm({ view, subject, sent = new Map() }: CreateShareFormProps) {
  const { caller } = view.visitor;
  const role = reviewRoleOf(caller);
  const isAsset = "id" in subject;
  const action = isAsset ? `/assets/${subject.id}/shares` : `/projects/${subject.project}/shares`;
  return (
    <PostForm view={view} action={action} class="stack">
      {!isAsset && <ProjectFields set={subject.set} sent={sent} />}
      <label>
        For whom
        <textarea
          name="recipient"
          required
          rows={2}
          placeholder="Ana <ana@example.com>, Bo"
          aria-describedby="recipient-hint"
        >
          {sent.get("recipient")}
        </textarea>
      </label>
      <p class="soft" id="recipient-hint">
        A label for one link, whose people type their names. Or several people, separated by commas or lines:
        each gets a link that reviews under their name.
        {view.ctx.config.smtpUrl && " If you add an email address, svc mails the link, and only to them."}
      </p>
      <Choice
        label="They can"
        name="rights"
        labels={rightsText}
        chosen={sent.get("rights") ?? (isAsset ? "view" : "verdict")}
      />
      <Choice
        label="Annotations they see"
        name="annotations"
        labels={annotationsLabels}
        chosen={sent.get("annotations") ?? "own"}
      />
      {isAsset && (
        <Choice
          label="What they see"
          name="follows"
          labels={followsLabels}
          chosen={sent.get("follows") ?? "fixed"}
        />
      )}
      <Choice
        label="Expires after"
        name="days"
        labels={Object.fromEntries(lifetimesOf(view.ctx.config))}
        chosen={sent.get("days") ?? String(lifetimeDefault)}
      />
      <label>
        Passphrase (optional)
        <input name="passphrase" type="password" autocomplete="new-password" minLength={8} maxLength={256} />
      </label>
      {(role !== null || isAdmin(caller)) && (
        <label>
          Role of their reviews (optional)
          <input name="role" maxLength={32} value={sent.get("role")} placeholder={role ?? "reviewer"} />
        </label>
      )}
      <label class="check">
        <input
          type="checkbox"
          name="allow_download"
          value="yes"
          checked={sent.get("allow_download") === "yes"}
          aria-describedby="download-hint"
        />
        Allow downloads
      </label>
      <p class="soft" id="download-hint">
        Without it there is no download, and the page shows the label as a watermark. What people can see they
        can still keep, for example with a screenshot.
      </p>
      <Submit text="Create link" />
    </PostForm>
  );
}
