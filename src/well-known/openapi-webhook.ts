/** Deliveries of the source host as an ordinary path: it lies beside the API, so it has a server of its own. */
import { AppendResult } from "../feed/schema.ts";
import { paths } from "../info.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { Status } from "../problem.ts";
import type { Describer } from "./openapi.ts";
import { problemAnswer } from "./openapi-answers.ts";

export const webhookSecurity = {
  delivery: {
    type: "apiKey",
    in: "header",
    name: "X-Hub-Signature-256",
    description: "`sha256=` and the HMAC of the raw body in hex; its key is the deployment's SVC_GITHUB_WEBHOOK_SECRET.",
  },
};

const header = (name: string, description: string, example: string): JsonSchema => ({
  ...{ name, in: "header", required: true, description, schema: { type: "string", minLength: 1, maxLength: 128 }, example },
});

const problems: Status[] = [400, 401, 405, 413, 415, 500, 501, 503];

export const describeWebhook = ({ site: { config }, schema }: Describer): JsonSchema => ({
  servers: [{ url: config.siteUrl, description: "The site: deliveries are no part of a version of the API." }],
  post: {
    operationId: "receiveDelivery",
    tags: ["feed"],
    summary: "Receive a delivery of GitHub",
    description:
      "Set as the webhook of a linked repository, content type JSON. Issues, pull requests, their reviews, finished workflows and deployments become events; everything else, and what comes from a repository that is not linked, is accepted and adds nothing. The same delivery again adds nothing.",
    security: [{ delivery: [] }],
    parameters: [
      header("X-GitHub-Event", "Name of the event.", "issues"),
      header("X-GitHub-Delivery", "Id of the delivery.", "72d3162e-cc78-11e3-81ab-4c9367dc0958"),
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: { type: "object", description: "The payload of the source host." },
          example: { action: "opened", issue: { number: 12, title: "The map is too dark" }, repository: { full_name: "acme/atlas" } },
        },
      },
    },
    responses: {
      202: {
        description: "Taken.",
        content: { "application/json": { schema: schema(AppendResult), example: { accepted: 1, duplicates: 0 } } },
      },
      ...Object.fromEntries(problems.map((status) => [status, problemAnswer(status, config, {}, paths.webhook)])),
    },
  },
});
