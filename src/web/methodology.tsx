/** The methodology page: the five rules and the task lifecycle. */
import { describeService } from "../core/info.ts";
import { kindTitle } from "../feed/kinds.ts";
import type { Page, View } from "./view.ts";

export function methodologyPage({ ctx }: View): Page {
  const { rules, task_flow = [] } = describeService(ctx.config);
  const body = (
    <article class="reading">
      <h1>How teams use svc</h1>
      <p class="lede">
        Agents do much of the work; people decide what is good enough. That works only when events, decisions,
        and assets are recorded in one place, where every new task starts.
      </p>
      <h2>Five rules</h2>
      <ol class="rules">
        {rules.map((rule) => (
          <li key={rule.n}>
            <h3>{rule.title}</h3>
            <p>{rule.body}</p>
          </li>
        ))}
      </ol>
      <h2>Task lifecycle</h2>
      <ol class="flow">
        {task_flow.map((step) => (
          <li key={step.n}>
            <h3>{step.step}</h3>
            <p class="where">{step.where}</p>
            <p>
              <Detail text={step.detail} />
            </p>
          </li>
        ))}
      </ol>
    </article>
  );
  return { title: "How teams use svc", navEntry: "more", body };
}

/** Kinds of events by the names that people read. */
const Detail = ({ text }: { text: string }) => (
  <>{text.split("`").map((part, index) => (index % 2 ? <em key={part}>{kindTitle(part)}</em> : part))}</>
);
