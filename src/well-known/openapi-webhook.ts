/** The GitHub webhook as an OpenAPI path. It is outside the API's base path, so it has its own server. */
import { paths } from "../info.ts";
import { DeliveryResult, WebhookSetup } from "../ingest/schema.ts";
import type { JsonSchema } from "../lib/json-schema.ts";
import type { Status } from "../problem.ts";
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
};

const header = (name: string, description: string, example: string): JsonSchema => ({
  ...{
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string", minLength: 1, maxLength: 128 },
    example,
  },
});

const problems: Status[] = [400, 401, 405, 413, 415, 500, 501, 503];

export const describeWebhook = ({ site: { config }, schema }: Describer): JsonSchema => ({
  servers: [
    { url: config.siteUrl, description: "The site root: webhooks are not part of the versioned API." },
  ],
  post: {
    operationId: "receiveDelivery",
    tags: ["feed"],
    summary: "Receive a GitHub webhook delivery",
    description:
      "The webhook of a linked repository, as JSON or in GitHub's default form encoding. Issues, " +
      "pull requests, reviews, finished workflows and deployments become events. Other deliveries, " +
      "and those of repositories that are not linked, are accepted and ignored; the response says " +
      "why. A project follows its repository when it is renamed or transferred. A redelivery adds " +
      "nothing. Webhooks from Gitea, Forgejo and Gogs are rejected.",
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
            schema: schema(WebhookSetup),
            example: {
              ...{ accepted: 0, duplicates: 0, repository: "acme/atlas", project: "atlas" },
              ...{
                events: ["issues", "pull_request"],
                missing: ["pull_request_review", "workflow_run", "deployment_status", "repository"],
              },
            },
          },
        },
      },
      202: {
        description: "Accepted.",
        content: {
          "application/json": { schema: schema(DeliveryResult), example: { accepted: 1, duplicates: 0 } },
        },
      },
      ...Object.fromEntries(
        problems.map((status) => [status, problemResponse(status, config, {}, paths.webhook)]),
      ),
    },
  },
});
