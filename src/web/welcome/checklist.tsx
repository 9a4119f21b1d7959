/** The checklist of a new deployment. A script keeps it current; without one, it shows the state at load. */
import { renderToString } from "preact-render-to-string";
import { isAdmin } from "../../core/auth/permissions.ts";
import type { Config } from "../../core/config.ts";
import { forbidden, Problem } from "../../core/problem.ts";
import { loadSetup, type Setup } from "../../overview/projects/setup.ts";
import { Icon } from "../icons/icons.tsx";
import { Code } from "../settings/code.tsx";
import { staticUrl } from "../static-files.ts";
import type { Page, View } from "../view.ts";
import { isLocalSite, serverCommand } from "./commands.ts";
import { type Step, stepsOf } from "./steps.tsx";

/** @throws {Problem} 401 without a session, 403 unless the visitor is an admin, and in mock mode */
async function loadForVisitor(view: View): Promise<Setup> {
  const { ctx, visitor } = view;
  if (ctx.config.mock)
    throw forbidden("The demo data is read-only, so there is nothing to set up. Run svc serve.");
  if (!visitor.signedIn) throw new Problem(401, "Sign in to set up svc.");
  if (!isAdmin(visitor.caller))
    throw forbidden("These steps are for the admin who sets up svc. What waits for you is on Today.");
  return loadSetup(ctx);
}

export async function welcomePage(view: View): Promise<Page> {
  const setup = await loadForVisitor(view);
  const body = (
    <>
      <div class="head">
        <h1>Welcome to svc</h1>
      </div>
      <Checklist view={view} setup={setup} />
    </>
  );
  return { title: "Welcome", navEntry: null, body };
}

/** Only the checklist, for its script. */
export const checklistFragment = async (view: View): Promise<string> =>
  renderToString(<Checklist view={view} setup={await loadForVisitor(view)} />);

/** Brings its own script, because the home page shows it to new deployments only. */
export function Checklist({ view, setup }: { view: View; setup: Setup }) {
  const steps = stepsOf(view, setup);
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <section class="checklist" id="checklist" data-done={next ? undefined : "true"}>
      <script type="module" src={staticUrl("checklist.js")} />
      <h2>Get started</h2>
      <Progress steps={steps} />
      <WhereToRun config={view.ctx.config} setup={setup} />
      <ol>
        {steps.map((step) => (
          <li key={step.name} id={`step-${step.name}`} class={step.isDone ? "done" : undefined}>
            <h3>
              <span class="tick">{step.isDone && <Icon name="check" />}</span>
              {step.title}
              {step.isDone && <span class="visually-hidden">: done</span>}
              {!step.isDone && step.isOptional && <span class="soft">optional</span>}
            </h3>
            {!step.isDone && <div class="step-body">{step.body}</div>}
            {step.isDone && step.result && <div class="step-body">{step.result}</div>}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** One line for the home page, once there was a review: how to go on with the checklist. */
export function RemainingSteps({ view, setup }: { view: View; setup: Setup }) {
  const required = requiredOf(stepsOf(view, setup));
  const remaining = required.filter(({ isDone }) => !isDone);
  const [next] = remaining;
  return next ? (
    <p class="notice good" id="remaining-steps">
      Get started: {required.length - remaining.length} of {required.length} steps done. Next:{" "}
      <a href={`/welcome#step-${next.name}`}>{next.title}</a>
    </p>
  ) : null;
}

const requiredOf = (steps: Step[]): Step[] => steps.filter(({ isOptional }) => !isOptional);

function Progress({ steps }: { steps: Step[] }) {
  const required = requiredOf(steps);
  const done = required.filter(({ isDone }) => isDone).length;
  return (
    <p role="status" id="progress">
      {done < required.length ? (
        `${done} of ${required.length} steps done. Each is ticked as it happens.`
      ) : (
        <>
          <strong>svc is set up.</strong> Follow the work in <a href="/feed">the feed</a>, or read{" "}
          <a href="/docs/concepts">how a task moves through svc</a>.
        </>
      )}
    </p>
  );
}

/** How to run the commands: on this machine, or on the server and on the visitor's machine. */
function WhereToRun({ config, setup }: { config: Config; setup: Setup }) {
  const { machine, user, definition } = serverCommand(config, setup);
  const isLocal = isLocalSite(config);
  return (
    <div class="step-body">
      <p class="soft">
        {isLocal ? (
          "Run the commands on this machine, in any folder. Define svc first"
        ) : (
          <>
            Run what is for the server on <code>{machine}</code>. Define svc there first
          </>
        )}
        ; the server runs as the user <code>{user}</code>
        {setup.hasDatabaseServer && (
          <>
            , with its own <code>SVC_DATABASE_URL</code>, which{" "}
            <a href="/docs/deploy#as-its-user">you need</a> as well
          </>
        )}
        :
      </p>
      <Code text={definition} />
      {!isLocal && (
        <>
          <p class="soft">
            Run everything else on your own machine, which needs svc as well. To log in there, paste the token
            that this prints on the server:
          </p>
          <Code text="svc token create laptop-admin --role admin" />
          <p class="soft">Then, on your machine:</p>
          <Code text={`svc login ${config.siteUrl}`} />
        </>
      )}
    </div>
  );
}
