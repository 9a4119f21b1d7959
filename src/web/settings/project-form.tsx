/** The form that links a project or changes it. */
import { forgeNames, forges } from "../../core/forges/schema.ts";
import { PostForm } from "../layout.tsx";
import type { Form, View } from "../view.ts";

interface FormProps {
  view: View;
  action: string;
  given: Form;
  isNew: boolean;
}

export const ProjectForm = ({ view, action, given, isNew }: FormProps) => (
  <PostForm view={view} action={action} class="stack project-form">
    {isNew && (
      <label>
        Name, as in URLs
        <input name="slug" required maxLength={63} value={given.get("slug")} placeholder="atlas" />
      </label>
    )}
    <label>
      Forge
      <select name="forge">
        {forgeNames.map((name) => (
          <option key={name} value={name} selected={name === given.get("forge")}>
            {forges[name].label}
          </option>
        ))}
      </select>
    </label>
    <label>
      Repository
      <input name="repo" required maxLength={255} value={given.get("repo")} placeholder="acme/atlas" />
    </label>
    <label>
      Host
      <input name="host" maxLength={253} value={given.get("host")} placeholder="that of the forge" />
    </label>
    <label>
      Stack
      <input name="stack" maxLength={200} value={given.get("stack")} placeholder="TypeScript, Bun" />
    </label>
    <label>
      Command that checks a change
      <input name="check_cmd" maxLength={1024} value={given.get("check_cmd")} placeholder="bun test" />
    </label>
    <label>
      Pattern of branches: its group is the issue or task
      <input
        name="branch_pattern"
        value={given.get("branch_pattern")}
        placeholder="the usual names, such as fix/12-icons"
      />
    </label>
    <label>
      URL of a task in your tracker
      <input
        name="task_url"
        maxLength={2048}
        value={given.get("task_url")}
        placeholder="https://linear.app/acme/issue/{task}"
      />
    </label>
    {view.ctx.config.lanes.length > 0 && (
      <label>
        Workstreams: {view.ctx.config.lanes.join(", ")}
        <input name="lanes" value={given.get("lanes")} placeholder="all" />
      </label>
    )}
    <label class="wide">
      Summary
      <textarea name="summary" maxLength={1024} rows={2}>
        {given.get("summary")}
      </textarea>
    </label>
    <p class="buttons wide">
      <button type="submit" class="primary">
        {isNew ? "Link project" : "Save"}
      </button>
    </p>
  </PostForm>
);

/** The fields of the operation: an empty one clears what is stored, apart from the place. */
export function projectLinkOf(form: Form): Record<string, unknown> {
  const text = (name: string) => form.get(name)?.trim() || null;
  const cleared = ["stack", "check_cmd", "branch_pattern", "task_url", "summary"].map((name) => [
    name,
    text(name),
  ]);
  const forge = text("forge");
  const publicHost = forgeNames.find((name) => name === forge);
  return {
    repo: text("repo"),
    forge,
    host: text("host") ?? (publicHost && forges[publicHost].host),
    ...Object.fromEntries(cleared),
    lanes: (text("lanes") ?? "").split(",").flatMap((lane) => lane.trim() || []),
  };
}
