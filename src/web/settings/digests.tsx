/** Email digests: the list of them, the form that adds one, and what their forms do. */
import type { EmailDigest, EmailDigests } from "../../integrations/email/schema.ts";
import { digestPeriods } from "../../integrations/email/schema.ts";
import { addEmailDigest, removeEmailDigest, sendEmailDigest } from "../../integrations/operations/email.ts";
import { ConfirmForm } from "../confirm-form.tsx";
import { PostForm, Select } from "../layout.tsx";
import { Time } from "../time.tsx";
import { callOperation, type Form, type View } from "../view.ts";

/** What a form did, by the value of `done` in the URL that it leads to. */
export const digestResults: Record<string, string> = {
  "digest-added": "A mail to confirm the digest is on its way. Nothing else is sent before.",
  "digest-removed": "The digest is removed.",
  "digest-sent": "The digest is sent.",
  "test-sent": "The test mail is sent.",
};

const statusClasses = { active: "good", pending: "warn", paused: "bad" } as const;
interface ListProps extends EmailDigests {
  view: View;
  /** The page that the forms lead back to. */
  back: "/settings" | "/settings/email";
}

export const DigestList = ({ view, digests, back }: ListProps) =>
  digests.length > 0 && (
    <ul class="entries panel">
      {digests.map((digest) => (
        <Entry key={digest.id} view={view} digest={digest} back={back} />
      ))}
    </ul>
  );

const Entry = ({ view, digest, back }: { view: View; digest: EmailDigest; back: ListProps["back"] }) => {
  const { id, address, period, hour, project, owner, status, problem, next_at } = digest;
  return (
    <li>
      <div>
        <strong>{address}</strong>{" "}
        <span class={`status ${statusClasses[status]}`}>
          {status === "pending" ? "not confirmed" : status}
        </span>
        <p class="soft">
          {period} at {String(hour).padStart(2, "0")}:00 UTC, {project ?? "all projects"}
          {back !== "/settings" && `, added by ${owner ?? "admin"}`}
          {next_at !== null && (
            <>
              , next <Time ts={next_at} />
            </>
          )}
        </p>
        {problem !== null && <p class="bad">{problem}</p>}
      </div>
      <div class="row-forms">
        {status !== "pending" && (
          <PostForm view={view} action={`${back}/digests/${id}/send`}>
            <button type="submit" aria-label={`Send the digest to ${address} now`}>
              Send now
            </button>
          </PostForm>
        )}
        <ConfirmForm
          view={view}
          action={`${back}/digests/${id}/remove`}
          verb="Remove"
          of={`the digest to ${address}`}
          text="Nothing more is sent. To get it again, the address has to confirm again."
        />
      </div>
    </li>
  );
};

const hours = Array.from({ length: 24 }, (_, hour) => String(hour));

interface FormProps {
  view: View;
  action: string;
  /** Of the projects to choose from. */
  slugs?: string[];
}

export const DigestForm = ({ view, action, slugs }: FormProps) => (
  <PostForm view={view} action={action} class="filters">
    <label>
      Email address <input name="address" type="email" required maxLength={254} autocomplete="email" />
    </label>
    <Select name="period" label="Each" value="daily" options={digestPeriods} hasAll={false} />
    <Select name="hour" label="Hour, UTC" value="7" options={hours} hasAll={false} />
    {slugs && <Select name="project" label="Project" value={undefined} options={slugs} />}
    <button type="submit">Add digest</button>
  </PostForm>
);

export async function addDigest(view: View, form: Form): Promise<void> {
  await callOperation(view, addEmailDigest, {
    address: form.get("address")?.trim(),
    period: form.get("period"),
    hour: Number(form.get("hour")),
    project: form.get("project"),
  });
}

export const removeDigest = (view: View): Promise<void> =>
  callOperation(view, removeEmailDigest, { id: view.params.id });

export const sendDigest = (view: View): Promise<void> =>
  callOperation(view, sendEmailDigest, { id: view.params.id });
