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

const textFields = [
  { name: "repo", label: "Repository", required: true, maxLength: 255, placeholder: "acme/atlas" },
  { name: "host", label: "Host", maxLength: 253, placeholder: "that of the forge" },
  { name: "stack", label: "Stack", maxLength: 200, placeholder: "TypeScript, Bun" },
  { name: "check_cmd", label: "Command that checks a change", maxLength: 1024, placeholder: "bun test" },
  {
    name: "branch_pattern",
    label: "Pattern of branches: its group is the issue or task",
    placeholder: "the usual names, such as fix/12-icons",
  },
  {
    name: "task_url",
    label: "URL of a task in your tracker",
    maxLength: 2048,
    placeholder: "https://linear.app/acme/issue/{task}",
  },
];

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
    {textFields.map(({ name, label, required, maxLength, placeholder }) => (
      <label key={name}>
        {label}
        <input
          name={name}
          required={required}
          maxLength={maxLength}
          value={given.get(name)}
          placeholder={placeholder}
        />
      </label>
    ))}
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
