/** The steps of the checklist: what each is for, its commands, and whether it is done. */
import type { VNode } from "preact";
import { fromMicros } from "../../core/lib/time.ts";
import { senders } from "../../integrations/incoming-webhooks/senders.ts";
import type { ConnectedAgent, Setup } from "../../overview/projects/setup.ts";
import { briefUrl } from "../memory/brief.tsx";
import { Code } from "../settings/code.tsx";
import { Time } from "../time.tsx";
import type { View } from "../view.ts";
import { commandsFor, isLocalSite } from "./commands.ts";

export interface Step {
  name: string;
  title: string;
  isDone: boolean;
  isOptional?: true;
  body: VNode;
  /** What is shown once it is done. */
  result?: VNode;
}

/** Every step. First what shows the point of svc, and needs nothing else: a note that the next attempt reads. */
export const stepsOf = (view: View, setup: Setup): Step[] => [
  {
    name: "link",
    title: "Link a project",
    isDone: setup.hasProject,
    body: (
      <>
        <p>
          A project is a short name for a repository on GitHub or another forge. Put in your own names
          {isLocalSite(view.ctx.config) ? "" : ", and run this on the server"}:
        </p>
        <Code text={commandsFor(view.ctx.config, setup).link} />
      </>
    ),
  },
  { name: "upload", title: "Upload an asset", isDone: setup.hasUpload, body: uploadBody(view, setup) },
  reviewStep(view, setup),
  { name: "report", title: "Report a run", isDone: setup.hasRun, body: reportBody(view, setup) },
  connectStep(view, setup),
  forgeStep(view, setup),
];

const connectStep = (view: View, setup: Setup): Step => {
  const { connect, createToken, connectRemote } = commandsFor(view.ctx.config, setup);
  const isLocal = isLocalSite(view.ctx.config);
  return {
    name: "connect",
    title: "Connect an agent",
    isDone: setup.agents.length > 0,
    result: <Agents agents={setup.agents} />,
    body: (
      <>
        <p>
          {isLocal ? "This" : "The last command"} finds Claude Code, Codex, Gemini CLI, and{" "}
          <a href="/docs/connect">other agents</a> on {isLocal ? "this" : "your"} machine, shows what it
          changes in their settings, and asks before it writes. The step is done when a session of the agent
          has started.
        </p>
        {isLocal ? (
          <>
            <Code text={connect} />
            <p>
              Agents on other machines need <a href="/docs/deploy">a server</a> that they can reach.
            </p>
          </>
        ) : (
          <>
            <p>On the server, create a token for the agent:</p>
            <Code text={createToken} />
            <p>On the machine of the agent, log in with that token, and connect:</p>
            <Code text={connectRemote} />
          </>
        )}
      </>
    ),
  };
};

const agentsMax = 5;

const Agents = ({ agents }: { agents: ConnectedAgent[] }) => (
  <>
    {agents.slice(0, agentsMax).map(({ name, agent_at, last_used_at }) => (
      <p key={name} class="soft">
        <b>{name}</b>: connected since <Time ts={fromMicros(agent_at)} as="exact" />, last sent{" "}
        <Time ts={fromMicros(last_used_at)} />
      </p>
    ))}
  </>
);

export const reportBody = (view: View, setup: Pick<Setup, "project" | "pendingAsset">): VNode => (
  <>
    <p>
      Agents, scripts, and CI report their work as events. From another machine they do it{" "}
      <a href="/docs/guide">over HTTP</a>, with a token.
    </p>
    <Code text={commandsFor(view.ctx.config, setup).report} />
    <p>
      Or add <a href="/docs/connect#backfill">past sessions</a> of your agents from their files on your
      machine:
    </p>
    <Code text="svc backfill" />
  </>
);

export const uploadBody = (view: View, setup: Pick<Setup, "project" | "pendingAsset">): VNode =>
  view.ctx.store ? (
    <>
      <p>Any image, video, PDF, or HTML file. It is private until a person approves it.</p>
      <Code text={commandsFor(view.ctx.config, setup).upload} />
    </>
  ) : (
    <p>
      Uploads are disabled: this deployment has no asset store. Set <code>SVC_ASSET_STORE</code>.
    </p>
  );

const reviewStep = (view: View, setup: Setup): Step => {
  const { pendingAsset } = setup;
  const { review, brief } = commandsFor(view.ctx.config, setup);
  return {
    name: "review",
    title: "Reject it with a note",
    isDone: setup.hasReview,
    result: (
      <>
        <p>
          The note of a rejection is a decision of the project. This is what the next attempt reads, also{" "}
          <a href={briefUrl(setup.project.slug, null)}>on this website</a>:
        </p>
        <Code text={brief} />
      </>
    ),
    body: (
      <>
        <p>
          A person approves or rejects each asset. The note of a rejection becomes a decision of the project,
          and the brief of the next attempt begins with it.
        </p>
        {pendingAsset && (
          <>
            <p>
              <a class="button primary" href={`/assets/${pendingAsset}`}>
                Review the asset
              </a>
            </p>
            <p>Or on the command line:</p>
            <Code text={review} />
          </>
        )}
      </>
    ),
  };
};

const forgeStep = ({ ctx: { config } }: View, setup: Setup): Step => {
  const { secret, webhook } = commandsFor(config, setup);
  const { forge } = setup.project;
  const { label, docs } = senders[forge];
  return {
    name: "github",
    title: `Connect ${label}`,
    isDone: setup.hasWebhook,
    isOptional: true,
    body: (
      <>
        <p>
          Issues, pull requests, and workflow runs become events.{" "}
          {isLocalSite(config) && (
            <>
              {label} cannot reach this machine, so do this once svc has{" "}
              <a href="/docs/deploy">a server with a public URL</a>.
            </>
          )}
        </p>
        {config.webhookSecrets[forge].length === 0 && (
          <>
            <p>Set a secret, then restart svc:</p>
            <Code text={secret} />
          </>
        )}
        <p>
          In the settings of the repository on {label}, add a webhook with that secret and this URL. See{" "}
          <a href={docs}>Connect {label}</a> for the events to select.
        </p>
        <Code text={webhook} />
      </>
    ),
  };
};
