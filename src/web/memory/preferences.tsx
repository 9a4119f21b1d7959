/** The preferences of the memory page: the global ones or those of a project, and the forms that set them. */

import type { CurrentPreference, PreferenceList } from "../../memory/list-schemas.ts";
import { getPreferences, prefer } from "../../memory/operations.ts";
import { Actor } from "../actor.tsx";
import { EmptyState, hasScope, PostForm, Submit } from "../layout.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { Time } from "../time.tsx";
import { callOperation, type Form, filtersOf, type View } from "../view.ts";

/** A preference that was just set, and the value before, if it is short enough for a URL. */
export const preferenceParameters = ["set", "was"];
const undoCharsMax = 500;

export async function preferencesSection(view: View, project: string | undefined) {
  const { preferences } = await callOperation<PreferenceList>(view, getPreferences, { project });
  const canWrite = hasScope(view, "memory:write");
  return (
    <section>
      <SetNotice view={view} project={project} />
      <h2>{project ? `Preferences that apply to ${project}` : "Preferences for all projects"}</h2>
      {canWrite && <NewPreference view={view} project={project} />}
      {preferences.length === 0 ? (
        <EmptyState title="No preferences yet.">
          <p>
            Set one here or with <code>svc prefer commit.style "…"</code>, or tell your agent.
          </p>
        </EmptyState>
      ) : (
        <Table
          label="Preferences"
          columns={columnsOf(canWrite ? view : null)}
          rows={preferences}
          keyOf={({ key }) => key}
        />
      )}
      {!project && (
        <p class="soft">Choose a project to see its own values. They take precedence over these.</p>
      )}
    </section>
  );
}

/** @param editor who may change them */
const columnsOf = (editor: View | null): Column<CurrentPreference>[] => [
  { label: "Key", isName: true, cell: ({ key }) => <code>{key}</code> },
  {
    label: "Value",
    class: "title",
    cell: ({ key, value, project }) => (
      <>
        {value}
        {editor && (
          <details>
            <summary aria-label={`Edit ${key}`}>Edit</summary>
            <PreferenceForm view={editor} project={project} of={key} value={value} />
          </details>
        )}
      </>
    ),
  },
  { label: "For", cell: ({ project }) => project ?? "all projects" },
  {
    label: "Set",
    cell: ({ valid_from, actor }) => (
      <>
        <Time ts={valid_from} /> by <Actor of={actor} />
      </>
    ),
  },
];

interface FormProps {
  view: View;
  /** Null: for all projects. */
  project: string | null;
  /** Its key; to be typed if it is empty. */
  of?: string;
  value?: string;
}

const PreferenceForm = ({ view, project, of, value = "" }: FormProps) => (
  <PostForm view={view} class="stack" action="/memory/preferences">
    {project !== null && <input type="hidden" name="project" value={project} />}
    <input type="hidden" name="was" value={value} />
    {of === undefined ? (
      <label>
        Key{" "}
        <input
          name="key"
          required
          maxLength={128}
          pattern="[A-Za-z0-9][A-Za-z0-9._\/\-]*"
          placeholder="commit.style"
        />
      </label>
    ) : (
      <input type="hidden" name="key" value={of} />
    )}
    <label>
      Value
      <textarea name="value" rows={3} maxLength={4096} required>
        {value}
      </textarea>
    </label>
    <Submit text="Save" />
  </PostForm>
);

const NewPreference = ({ view, project }: { view: View; project: string | undefined }) => (
  <details class="decide">
    <summary>Set a preference for {project ?? "all projects"}</summary>
    <PreferenceForm view={view} project={project ?? null} />
  </details>
);

function SetNotice({ view, project }: { view: View; project: string | undefined }) {
  const { set, was } = filtersOf(view.url, preferenceParameters);
  if (set === undefined) return null;
  return (
    <PostForm view={view} class="notice good undo" action="/memory/preferences">
      <span role="status">
        Saved <code>{set}</code>. The next brief has it.
      </span>
      {was !== undefined && (
        <>
          <input type="hidden" name="key" value={set} />
          <input type="hidden" name="value" value={was} />
          {project && <input type="hidden" name="project" value={project} />}
          <button type="submit" class="plain">
            Undo
          </button>
        </>
      )}
    </PostForm>
  );
}

/** Sets a preference. @returns the URL of the preferences, where it can be undone */
export async function submitPreference(view: View, form: Form): Promise<string> {
  const [key = "", value, project, was = ""] = ["key", "value", "project", "was"].map((name) =>
    form.get(name),
  );
  const given = { key, value: value?.trim(), project, source: "web" };
  await callOperation(view, prefer, given);
  const canUndo = was !== "" && was !== value && was.length <= undoCharsMax;
  return `/memory?${new URLSearchParams({
    view: "preferences",
    ...(project && { project }),
    set: key,
    ...(canUndo && { was }),
  })}`;
}
