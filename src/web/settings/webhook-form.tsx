/** The form that adds a webhook. */
import { kindRows } from "../../feed/kinds.ts";
import { formats } from "../../integrations/webhooks/formats/formats.ts";
import { formatNames } from "../../integrations/webhooks/schema.ts";
import { PostForm } from "../layout.tsx";
import type { Form, View } from "../view.ts";

/** The prefix of the names of the checkboxes: a form may not repeat a field. */
export const kindPrefix = "kind ";

interface FormProps {
  view: View;
  slugs: readonly string[];
  /** What was typed, if it was refused. */
  given: Form;
}

export const WebhookForm = ({ view, slugs, given }: FormProps) => (
  <section id="add">
    <h2>Add a webhook</h2>
    <PostForm view={view} action="/settings/webhooks" class="filters">
      <label class="wide">
        URL{" "}
        <input
          name="url"
          type="url"
          required
          maxLength={2048}
          value={given.get("url")}
          placeholder="https://example.com/hooks/svc"
        />
      </label>
      <label>
        Name <input name="name" maxLength={128} value={given.get("name")} />
      </label>
      <label>
        Format{" "}
        <select name="format">
          {formatNames.map((format) => (
            <option key={format} value={format} selected={format === given.get("format")}>
              {formats[format].label}
            </option>
          ))}
        </select>
      </label>
      <label>
        Project{" "}
        <select name="project">
          <option value="">All</option>
          {slugs.map((slug) => (
            <option key={slug} selected={slug === given.get("project")}>
              {slug}
            </option>
          ))}
        </select>
      </label>
      <div class="field as-menu">
        <details class="choices">
          <summary>
            <span class="choices-label">Events</span>{" "}
            <span class="choices-value">Choose, or leave for all</span>
          </summary>
          <fieldset>
            <legend class="visually-hidden">Kinds of events</legend>
            {Object.entries(kindRows).map(([kind, { title }]) => (
              <label key={kind}>
                <input type="checkbox" name={kindPrefix + kind} checked={given.has(kindPrefix + kind)} />
                {title}
              </label>
            ))}
          </fieldset>
        </details>
      </div>
      <button type="submit" class="primary">
        Add webhook
      </button>
    </PostForm>
    <p class="soft">
      It gets what you may read, as events come. More filters: <code>svc webhook add --help</code>. See{" "}
      <a href="/docs/webhooks">Notifications and webhooks</a>.
    </p>
  </section>
);
