// A code forge of eighty operations in a few lines: a catalog large enough that search has to choose, and questions
// about it. The large ones (queries.ts) need documents that not every clone has.
import type { Query } from './queries.ts';

/** `METHOD /path summary`, one operation each. */
const OPERATIONS = `
GET /user Gets the authenticated user
PATCH /user Updates the profile of the authenticated user
GET /user/repos Lists repositories of the authenticated user
GET /user/keys Lists public SSH keys of the authenticated user
POST /user/keys Adds a public SSH key for the authenticated user
DELETE /user/keys/{key_id} Deletes a public SSH key
PUT /user/starred/{owner}/{repo} Stars a repository
DELETE /user/starred/{owner}/{repo} Unstars a repository
GET /user/starred Lists repositories starred by the authenticated user
GET /users/{username} Gets a user by name
GET /users/{username}/followers Lists followers of a user
PUT /user/following/{username} Follows a user
GET /notifications Lists notifications
PUT /notifications Marks notifications as read
GET /rate_limit Gets the rate limit status
GET /gists Lists gists
POST /gists Creates a gist
DELETE /gists/{gist_id} Deletes a gist
GET /search/code Searches code
GET /search/issues Searches issues and pull requests
GET /search/users Searches users
GET /orgs/{org} Gets an organization
GET /orgs/{org}/members Lists members of an organization
DELETE /orgs/{org}/members/{username} Removes a member from an organization
POST /orgs/{org}/invitations Creates an organization invitation
POST /orgs/{org}/repos Creates an organization repository
GET /orgs/{org}/teams Lists teams
POST /orgs/{org}/teams Creates a team
GET /orgs/{org}/teams/{team}/members Lists team members
GET /orgs/{org}/audit-log Gets the audit log of an organization
GET /repos/{owner}/{repo} Gets a repository
PATCH /repos/{owner}/{repo} Updates a repository
DELETE /repos/{owner}/{repo} Deletes a repository
POST /repos/{owner}/{repo}/forks Creates a fork
POST /repos/{owner}/{repo}/transfer Transfers a repository to another owner
GET /repos/{owner}/{repo}/contributors Lists repository contributors
GET /repos/{owner}/{repo}/topics Gets all repository topics
GET /repos/{owner}/{repo}/readme Gets the README of a repository
GET /repos/{owner}/{repo}/contents/{path} Gets repository content, a file or a directory
PUT /repos/{owner}/{repo}/contents/{path} Creates or updates file contents
DELETE /repos/{owner}/{repo}/contents/{path} Deletes a file
GET /repos/{owner}/{repo}/branches Lists branches
POST /repos/{owner}/{repo}/branches/{branch}/rename Renames a branch
PUT /repos/{owner}/{repo}/branches/{branch}/protection Updates branch protection
GET /repos/{owner}/{repo}/commits Lists commits
GET /repos/{owner}/{repo}/commits/{sha} Gets a commit
GET /repos/{owner}/{repo}/compare/{range} Compares two commits
POST /repos/{owner}/{repo}/git/tags Creates a tag object
DELETE /repos/{owner}/{repo}/git/refs/{ref} Deletes a reference, such as a branch or a tag
GET /repos/{owner}/{repo}/collaborators Lists repository collaborators
PUT /repos/{owner}/{repo}/collaborators/{username} Adds a repository collaborator
GET /repos/{owner}/{repo}/issues Lists repository issues
POST /repos/{owner}/{repo}/issues Creates an issue
GET /repos/{owner}/{repo}/issues/{number} Gets an issue
PATCH /repos/{owner}/{repo}/issues/{number} Updates an issue, for example to close it
PUT /repos/{owner}/{repo}/issues/{number}/lock Locks an issue conversation
POST /repos/{owner}/{repo}/issues/{number}/comments Creates an issue comment
PATCH /repos/{owner}/{repo}/issues/comments/{comment_id} Updates an issue comment
POST /repos/{owner}/{repo}/issues/{number}/labels Adds labels to an issue
DELETE /repos/{owner}/{repo}/issues/{number}/labels/{name} Removes a label from an issue
POST /repos/{owner}/{repo}/issues/{number}/assignees Adds assignees to an issue
POST /repos/{owner}/{repo}/milestones Creates a milestone
GET /repos/{owner}/{repo}/pulls Lists pull requests
POST /repos/{owner}/{repo}/pulls Creates a pull request
PUT /repos/{owner}/{repo}/pulls/{number}/merge Merges a pull request
GET /repos/{owner}/{repo}/pulls/{number}/files Lists pull request files
POST /repos/{owner}/{repo}/pulls/{number}/reviews Creates a review for a pull request
POST /repos/{owner}/{repo}/pulls/{number}/requested_reviewers Requests reviewers for a pull request
GET /repos/{owner}/{repo}/releases Lists releases
GET /repos/{owner}/{repo}/releases/latest Gets the latest release
POST /repos/{owner}/{repo}/releases Creates a release
POST /repos/{owner}/{repo}/releases/{id}/assets Uploads a release asset
GET /repos/{owner}/{repo}/hooks Lists repository webhooks
POST /repos/{owner}/{repo}/hooks Creates a repository webhook
GET /repos/{owner}/{repo}/actions/runs Lists workflow runs for a repository
POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel Cancels a workflow run
POST /repos/{owner}/{repo}/actions/workflows/{id}/dispatches Creates a workflow dispatch event to trigger a workflow
GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs Downloads job logs for a workflow run
GET /repos/{owner}/{repo}/actions/secrets Lists repository secrets
PUT /repos/{owner}/{repo}/actions/secrets/{name} Creates or updates a repository secret
GET /repos/{owner}/{repo}/dependabot/alerts Lists dependabot alerts for a repository
`;

export function forgeDocument(): object {
  return toDocument(OPERATIONS);
}

/**
 * Rows of `METHOD /path summary | description` as an OpenAPI document; the first segment that names a thing is
 * the tag.
 */
export function toDocument(operations: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const line of operations.trim().split('\n')) {
    const [, method, path, text] = /^(\S+) (\S+) (.*)$/.exec(line)!;
    const [summary, description] = text!.split(' | ');
    paths[path!] ??= {};
    paths[path!]![method!.toLowerCase()] = {
      tags: [tagOf(path!)],
      summary,
      ...(description === undefined ? {} : { description }),
      parameters: [...path!.matchAll(/\{(\w+)\}/g)].map((match) => ({
        name: match[1],
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      responses: { 200: { description: 'Done.' } },
    };
  }
  return {
    openapi: '3.0.3',
    info: { title: 'Forge', version: '1' },
    servers: [{ url: 'https://forge.example' }],
    paths,
  };
}

function tagOf(path: string): string {
  const [first, ...others] = path.split('/').filter((part) => part !== '' && !part.startsWith('{'));
  return first === 'repos' ? (others[0] ?? 'repos') : (first ?? 'general');
}

const ask = (query: string, ...want: string[]): Query => ({ query, want });

export const FORGE: readonly Query[] = [
  ask('create an issue', 'POST /repos/{owner}/{repo}/issues'),
  ask('open a pull request', 'POST /repos/{owner}/{repo}/pulls'),
  ask('merge pr', 'PUT /repos/{owner}/{repo}/pulls/{number}/merge'),
  ask('list my repos', 'GET /user/repos'),
  ask('comment on an issue', 'POST /repos/{owner}/{repo}/issues/{number}/comments'),
  ask('trigger a workflow', 'POST /repos/{owner}/{repo}/actions/workflows/{id}/dispatches'),
  ask('star a repository', 'PUT /user/starred/{owner}/{repo}'),
  ask('read a file from a repository', 'GET /repos/{owner}/{repo}/contents/{path}'),
  ask('delete a branch', 'DELETE /repos/{owner}/{repo}/git/refs/{ref}'),
  ask('search code', 'GET /search/code'),
  ask('who am i', 'GET /user'),
  ask('add a label to an issue', 'POST /repos/{owner}/{repo}/issues/{number}/labels'),
  ask('list commits', 'GET /repos/{owner}/{repo}/commits'),
  ask('fork a repo', 'POST /repos/{owner}/{repo}/forks'),
  ask('get latest release', 'GET /repos/{owner}/{repo}/releases/latest'),
  ask('invite someone to an organization', 'POST /orgs/{org}/invitations'),
  ask('close an issue', 'PATCH /repos/{owner}/{repo}/issues/{number}'),
  ask('protect the main branch', 'PUT /repos/{owner}/{repo}/branches/{branch}/protection'),
  ask('check rate limit', 'GET /rate_limit'),
  ask('mark notifications as read', 'PUT /notifications'),
  ask('create webhook for repo', 'POST /repos/{owner}/{repo}/hooks'),
  ask('team members', 'GET /orgs/{org}/teams/{team}/members'),
  ask('add collaborator', 'PUT /repos/{owner}/{repo}/collaborators/{username}'),
  ask('find users', 'GET /search/users'),
];

export const COLLOQUIAL_FORGE: readonly Query[] = [
  ask('kick someone out of our org', 'DELETE /orgs/{org}/members/{username}'),
  ask('get rid of a repo', 'DELETE /repos/{owner}/{repo}'),
  ask('what changed in this pr', 'GET /repos/{owner}/{repo}/pulls/{number}/files'),
  ask('make a new team', 'POST /orgs/{org}/teams'),
  ask('stop a running workflow', 'POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel'),
  ask('show me the logs of a job', 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs'),
  ask('throw away my ssh key', 'DELETE /user/keys/{key_id}'),
  ask('edit a comment', 'PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}'),
];
