/** The webhooks as OpenAPI paths. They are outside the API's base path, so they have their own server. */

import { type SenderName, senderNames } from "../../core/incoming-webhooks/schema.ts";
import type { JsonSchema } from "../../core/lib/json-schema.ts";
import type { Status } from "../../core/problem.ts";
import { DeliveryResult, WebhookSetup } from "../../integrations/incoming-webhooks/schema.ts";
import { secretVariable, senders, webhookPath } from "../../integrations/incoming-webhooks/senders.ts";
import type { Describer } from "./openapi-describer.ts";
import { problemResponse } from "./openapi-responses.ts";

export const webhookSecurity = {
  delivery: {
    type: "apiKey",
    in: "header",
    name: "X-Hub-Signature-256",
    description:
      "`sha256=` followed by the HMAC-SHA256 of the raw body in hex. The key is the deployment's " +
      "SVC_GITHUB_WEBHOOK_SECRET.",
  },
  ...Object.fromEntries(otherSenders().map((name) => [`${name}Delivery`, securityOf(name)])),
};

function otherSenders(): SenderName[] {
  return senderNames.filter((name) => name !== "github");
}

/** GitLab has two headers; the document names the first. */
function securityOf(name: SenderName): JsonSchema {
  const [header] = senders[name].proof.split(" or ");
  const { label } = senders[name];
  const description = `Proves that the delivery is from ${label}. The key is ${secretVariable(name)}.`;
  return { type: "apiKey", in: "header", name: header, description };
}

const header = (name: string, description: string, example: string): JsonSchema => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string", minLength: 1, maxLength: 128 },
  example,
});

/** Of the senders that name the event in a header. */
const eventExamples: Partial<Record<SenderName, string>> = {
  gitea: "issues",
  bitbucket: "pullrequest:created",
};

const problems: Status[] = [400, 401, 405, 413, 415, 500, 501, 503];

export const describeWebhooks = (describer: Describer): JsonSchema => ({
  [webhookPath("github")]: describeGithub(describer),
  ...Object.fromEntries(otherSenders().map((name) => [webhookPath(name), describeSender(name, describer)])),
});

const serversOf = (siteUrl: string): JsonSchema[] => [
  { url: siteUrl, description: "The site root: webhooks are not part of the versioned API." },
];

const accepted = ({ schema }: Describer): JsonSchema => ({
  description: "Accepted.",
  content: {
    "application/json": { schema: schema(DeliveryResult), example: { accepted: 1, duplicates: 0 } },
  },
});

const problemsOf = ({ site: { config } }: Describer, path: string): JsonSchema =>
  Object.fromEntries(problems.map((status) => [status, problemResponse(status, config, {}, path)]));

function describeSender(name: SenderName, describer: Describer): JsonSchema {
  const { label } = senders[name];
  return {
    servers: serversOf(describer.site.config.siteUrl),
    post: {
      operationId: `receive${name[0]?.toUpperCase()}${name.slice(1)}Delivery`,
      tags: ["feed"],
      summary: `Receive a ${label} webhook delivery`,
      description:
        `A delivery of ${label}. What svc does not use, and what belongs to no linked repository, is ` +
        "accepted and ignored; the response says why. A redelivery adds nothing.",
      security: [{ [`${name}Delivery`]: [] }],
      parameters: [
        ...(senders[name].headers.event
          ? [header(senders[name].headers.event, "Event name.", eventExamples[name] ?? "")]
          : []),
        {
          name: "project",
          in: "query",
          required: false,
          description: "Project of a delivery that names no linked repository.",
          schema: { type: "string" },
          example: "atlas",
        },
      ],
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: { type: "object", description: `${label}'s payload.` },
            example: {},
          },
        },
      },
      responses: { 202: accepted(describer), ...problemsOf(describer, webhookPath(name)) },
    },
  };
}

const describeGithub = (describer: Describer): JsonSchema => ({
  servers: serversOf(describer.site.config.siteUrl),
  post: {
    operationId: "receiveDelivery",
    tags: ["feed"],
    summary: "Receive a GitHub webhook delivery",
    description:
      "The webhook of a linked repository, as JSON or in GitHub's default form encoding. Issues, " +
      "pull requests, reviews, finished workflows and deployments become events. Other deliveries, " +
      "and those of repositories that are not linked, are accepted and ignored; the response says " +
      "why. A project follows its repository when it is renamed or transferred. A redelivery adds " +
      "nothing. Webhooks from Gitea, Forgejo and Gogs are rejected: those of Gitea and Forgejo have " +
      "their own path.",
    security: [{ delivery: [] }],
    parameters: [
      header("X-GitHub-Event", "Event name.", "issues"),
      header("X-GitHub-Delivery", "Delivery id.", "72d3162e-cc78-11e3-81ab-4c9367dc0958"),
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { type: "object", description: "GitHub's payload." },
          example: {
            action: "opened",
            issue: { number: 12, title: "The map is too dark" },
            repository: { full_name: "acme/atlas" },
          },
        },
        "application/x-www-form-urlencoded": {
          schema: {
            type: "object",
            required: ["payload"],
            properties: { payload: { type: "string", description: "GitHub's payload, as JSON text." } },
          },
          example: { payload: '{"action": "opened"}' },
        },
      },
    },
    responses: {
      200: {
        description: "Response to `ping`: the state of the setup.",
        content: {
          "application/json": {
            schema: describer.schema(WebhookSetup),
            example: {
              accepted: 0,
              duplicates: 0,
              repository: "acme/atlas",
              project: "atlas",
              events: ["issues", "pull_request"],
              missing: ["pull_request_review", "workflow_run", "deployment_status", "repository"],
            },
          },
        },
      },
      202: accepted(describer),
      ...problemsOf(describer, webhookPath("github")),
    },
  },
});
