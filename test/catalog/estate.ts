// An estate of services in a few lines: sites and tunnels at the edge, photographs, people on call, machines, a search
// engine, a forum. The documents of such APIs are terse and have words of their own; the requests have everybody's.
import { type Query, readQueries } from './queries.ts';

/** `METHOD /path summary | description`. */
export const ESTATE = `
GET /zones List Zones | Lists, searches, sorts, and filters your zones.
POST /zones Create Zone
GET /zones/{zone_id} Zone Details
DELETE /zones/{zone_id} Delete Zone | Deletes an existing zone.
POST /zones/{zone_id}/purge_cache Purge Cached Content | Purges files from the edge by URL, tag or everything.
GET /zones/{zone_id}/dns_records List DNS Records
POST /zones/{zone_id}/dns_records Create DNS Record
PATCH /zones/{zone_id}/dns_records/{record_id} Update DNS Record
DELETE /zones/{zone_id}/dns_records/{record_id} Delete DNS Record
GET /zones/{zone_id}/dns_records/export Export DNS Records
PATCH /zones/{zone_id}/settings/development_mode Edit zone setting
GET /zones/{zone_id}/firewall/access_rules List IP Access rules
POST /zones/{zone_id}/firewall/access_rules Create an IP Access rule | Blocks, challenges or allows an address.
GET /accounts/{account_id}/members List Members
POST /accounts/{account_id}/members Add Member | Invites a user to the account.
DELETE /accounts/{account_id}/members/{member_id} Remove Member
GET /accounts/{account_id}/tunnels List Tunnels
POST /accounts/{account_id}/tunnels Create a Tunnel
DELETE /accounts/{account_id}/tunnels/{tunnel_id} Delete a Tunnel
GET /accounts/{account_id}/tunnels/{tunnel_id}/connections List Tunnel connections
DELETE /accounts/{account_id}/tunnels/{tunnel_id}/connections Clean up Tunnel connections
PUT /accounts/{account_id}/tunnels/{tunnel_id}/configurations Put configuration
POST /user/tokens Create Token
PUT /user/tokens/{token_id}/value Roll Token | Roll the token secret.
GET /assets/statistics Get asset statistics
POST /assets Upload asset | Uploads a new photo or video to the server.
DELETE /assets Delete assets | Deletes one or several assets and moves their files to the trash.
GET /assets/{id} Retrieve an asset
PUT /assets/{id} Update an asset | Sets the description, date or place of a photo.
GET /assets/{id}/original Download original asset
GET /assets/{id}/thumbnail View asset thumbnail
GET /albums List all albums
POST /albums Create an album
PUT /albums/{id}/assets Add assets to an album
DELETE /albums/{id}/assets Remove assets from an album
PUT /albums/{id}/users Share album with users
POST /shared-links Create a shared link
GET /people Get all people | People whose faces were recognised.
POST /trash/empty Empty trash
POST /trash/restore Restore trash
GET /incidents List incidents
POST /incidents Create an Incident
PUT /incidents/{id} Update an incident | Acknowledge, resolve, escalate or reassign an incident.
POST /incidents/{id}/notes Create a note on an incident
POST /incidents/{id}/snooze Snooze an incident
GET /oncalls List All of the On-Calls
GET /schedules List schedules
POST /schedules/{id}/overrides Create one or more overrides
GET /escalation_policies List escalation policies
POST /maintenance_windows Create a maintenance window
GET /droplets List All Droplets
POST /droplets Create a New Droplet | A droplet is a virtual machine.
DELETE /droplets/{droplet_id} Delete an Existing Droplet
POST /droplets/{droplet_id}/actions Initiate a Droplet Action | Reboot, power off, resize, rename or snapshot a droplet.
GET /droplets/{droplet_id}/backups List Backups for a Droplet
POST /volumes Create a New Block Storage Volume
GET /customers/my/balance Get Customer Balance
GET /customers/my/invoices List All Invoices
POST /{index}/_search Run a search
PUT /{index} Create an index
DELETE /{index} Delete indices
POST /{index}/_doc Create or update a document in an index
DELETE /{index}/_doc/{id} Delete a document
GET /_cat/indices Get index information
GET /_cluster/health Get the cluster health status
POST /_reindex Reindex documents
PUT /collections/{collection_name}/points Upsert points
POST /collections/{collection_name}/points/query Query points | Universally query points: nearest to a vector.
POST /posts Create post
DELETE /posts/{id} Delete post
POST /posts/{id}/votes Create vote | Adds the voter to the post.
DELETE /posts/{id}/votes Delete vote
GET /boards List boards
POST /tasks/{id}/cancel Cancel a task
GET /tasks List tasks
POST /users/{user_id}/lifecycle/suspend Suspend a User
POST /users/{user_id}/lifecycle/unlock Unlock a User
POST /users/{user_id}/lifecycle/reset_password Reset a Password
GET /groups/{group_id}/users List all Member Users
PUT /groups/{group_id}/users/{user_id} Assign a User to a Group
DELETE /groups/{group_id}/users/{user_id} Unassign a User from a Group
GET /users/{user_id}/factors List all Factors
GET /logs List all System Log Events
`;

export const ASKED_OF_THE_ESTATE: readonly Query[] = readQueries(`
set up a new tunnel => POST /accounts/{account_id}/tunnels
clear the cache of my website => POST /zones/{zone_id}/purge_cache
which domains do we have? => GET /zones
point www at another server => PATCH /zones/{zone_id}/dns_records/{record_id} | POST /zones/{zone_id}/dns_records
keep this address from reaching our site => POST /zones/{zone_id}/firewall/access_rules
take somebody off the account => DELETE /accounts/{account_id}/members/{member_id}
I need a fresh token, the old one leaked => PUT /user/tokens/{token_id}/value | POST /user/tokens
get rid of a photo => DELETE /assets
upload a picture => POST /assets
how many photos do I have => GET /assets/statistics
put some pictures into the holiday album => PUT /albums/{id}/assets
take a picture out of the album => DELETE /albums/{id}/assets
let grandma see the album => PUT /albums/{id}/users | POST /shared-links
bring back what I threw away => POST /trash/restore
who is on call tonight? => GET /oncalls
something is broken, page the team => POST /incidents
tell them I am looking at the incident => PUT /incidents/{id} | POST /incidents/{id}/notes
be quiet about this incident for an hour => POST /incidents/{id}/snooze
swap shifts with Bob => POST /schedules/{id}/overrides
spin up a machine => POST /droplets
turn a server off => POST /droplets/{droplet_id}/actions
what do we owe => GET /customers/my/balance | GET /customers/my/invoices
look something up in the index => POST /{index}/_search
is the cluster healthy? => GET /_cluster/health
find the closest vectors => POST /collections/{collection_name}/points/query
upvote a suggestion => POST /posts/{id}/votes
take my vote back => DELETE /posts/{id}/votes
lock an employee out => POST /users/{user_id}/lifecycle/suspend
who's in the admins group => GET /groups/{group_id}/users
she forgot her password => POST /users/{user_id}/lifecycle/reset_password
put a person in a group => PUT /groups/{group_id}/users/{user_id}
what happened on the system yesterday => GET /logs`);
