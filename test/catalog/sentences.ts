// Requests as people say them, not as documents put it: `sentence => METHOD /path | METHOD /path`, by document of
// ../shared/specs. Those of some documents were looked at while the search was tuned, those of the others never.
import { type Query, readQueries } from './queries.ts';

const TUNED_ON: Readonly<Record<string, string>> = {
  'github-3.0.json': `
please file a bug against my project => POST /repos/{owner}/{repo}/issues
get rid of an old release => DELETE /repos/{owner}/{repo}/releases/{release_id}
who has access to this repo? => GET /repos/{owner}/{repo}/collaborators | GET /repos/{owner}/{repo}/teams
set up a new webhook on our org => POST /orgs/{org}/hooks
I'd like to see what people are saying on issue 12 => GET /repos/{owner}/{repo}/issues/{issue_number}/comments
kick someone out of the organization => DELETE /orgs/{org}/members/{username} | DELETE /orgs/{org}/memberships/{username}
give Anna write access to the repo => PUT /repos/{owner}/{repo}/collaborators/{username} | PUT /orgs/{org}/teams/{team_slug}/repos/{owner}/{repo}
take the bug label off this issue => DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}
turn off branch protection => DELETE /repos/{owner}/{repo}/branches/{branch}/protection
which branches are protected? => GET /repos/{owner}/{repo}/branches | GET /repos/{owner}/{repo}/branches/{branch}/protection
what did the last build print out? => GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs | GET /repos/{owner}/{repo}/actions/runs/{run_id}/logs
hand the repo over to another team's account => POST /repos/{owner}/{repo}/transfer
how many stars does it have, and from whom => GET /repos/{owner}/{repo}/stargazers
throw away the stale build artifacts => DELETE /repos/{owner}/{repo}/actions/artifacts/{artifact_id}
stop watching this repository => DELETE /repos/{owner}/{repo}/subscription
kick off the deploy workflow by hand => POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches
put my public key on my profile => POST /user/keys
what are the open pull requests => GET /repos/{owner}/{repo}/pulls
ask Bob to look over my pull request => POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers
show me everything that was leaked, any exposed credentials => GET /repos/{owner}/{repo}/secret-scanning/alerts | GET /orgs/{org}/secret-scanning/alerts`,
  'jellyfin-3.0.yaml': `
reboot the media server => POST /System/Restart
turn the server off => POST /System/Shutdown
make a new account for my daughter => POST /Users/New
what should I watch next => GET /Shows/NextUp | GET /Users/{userId}/Suggestions | GET /Movies/Recommendations
I've already seen this movie, tick it off => POST /Users/{userId}/PlayedItems/{itemId}
add this film to my favourites => POST /Users/{userId}/FavoriteItems/{itemId}
who is logged in right now => GET /Sessions
I forgot my password => POST /Users/ForgotPassword
find movies like this one => GET /Movies/{itemId}/Similar | GET /Items/{itemId}/Similar
take a song off the playlist => DELETE /Playlists/{playlistId}/Items
what plugins do we have installed => GET /Plugins
rescan the whole library for new files => GET /Library/Refresh
show me the server's log files => GET /System/Logs
set someone's profile picture => POST /Users/{userId}/Images/{imageType}
how many movies and episodes are there => GET /Items/Counts
upload subtitles for a video => POST /Videos/{itemId}/Subtitles
stop a task that is running => DELETE /ScheduledTasks/Running/{taskId}
send a note to somebody's screen => POST /Sessions/{sessionId}/Message`,
  'docker-engine-2.0.yaml': `
spin up a new container => POST /containers/create
what's running right now => GET /containers/json
shut a container down => POST /containers/{id}/stop
free up space by throwing out images nobody uses => POST /images/prune
how much disk are we using => GET /system/df
look at what a container printed => GET /containers/{id}/logs
put a container onto another network => POST /networks/{id}/connect
take a container off the network => POST /networks/{id}/disconnect
run a command inside a container => POST /containers/{id}/exec
pull an image from the registry => POST /images/create
log in to the registry => POST /auth
how much CPU and memory is it eating => GET /containers/{id}/stats
freeze a container for a moment => POST /containers/{id}/pause
give the container a different name => POST /containers/{id}/rename
look up nginx on docker hub => GET /images/search
get rid of a stored password => DELETE /secrets/{id}`,
  'slack-web-2.0.json': `
tell everyone in the channel that lunch is here => POST /chat.postMessage
remind me tomorrow to call the bank => POST /reminders.add
kick somebody out of a channel => POST /conversations.kick
who's in this channel? => GET /conversations.members
look up a person by their email address => GET /users.lookupByEmail
say something later, at 5pm => POST /chat.scheduleMessage
set up a new private channel => POST /conversations.create | POST /admin.conversations.create
take back a message I sent => POST /chat.delete
turn on do not disturb => POST /dnd.setSnooze
give a thumbs up to a message => POST /reactions.add
find messages that mention the budget => GET /search.messages
drop a file in the channel => POST /files.upload
change what my status says => POST /users.profile.set
what was said in this channel yesterday => GET /conversations.history
bring someone into the channel => POST /conversations.invite | POST /admin.conversations.invite`,
  'box-3.0.json': `
who can see this file? => GET /files/{file_id}/collaborations
give my colleague access to a folder => POST /collaborations
throw a document in the bin => DELETE /files/{file_id}
bring back something I deleted by accident => POST /files/{file_id} | POST /folders/{folder_id}
what's in this folder => GET /folders/{folder_id}/items
make a public link to the file => PUT /files/{file_id}#add_shared_link
let my team know a file changed, call our server => POST /webhooks
put a stamp over the document so nobody copies it => PUT /files/{file_id}/watermark
get a small preview picture of a file => GET /files/{file_id}/thumbnail.{extension}
ask somebody to sign a contract => POST /sign_requests
download a couple of files as one archive => POST /zip_downloads
empty out an item from the trash for good => DELETE /files/{file_id}/trash | DELETE /folders/{folder_id}/trash
leave a remark on a document => POST /comments
look for all documents about invoices => GET /search
which files did I open lately => GET /recent_items`,
};

/** Written to see how far that carried, then looked at as well. */
const LOOKED_AT_LATER: Readonly<Record<string, string>> = {
  'zulip-3.0.yaml': `
who has read my message? => GET /messages/{message_id}/read_receipts
I can't stand this guy, hide his messages => POST /users/me/muted_users/{muted_user_id}
write to the team about the outage => POST /messages
have people changed this message since it was posted => GET /messages/{message_id}/history
which rooms am I in => GET /users/me/subscriptions
give me a fresh API key => POST /users/me/api_key/regenerate
close down a user's account => DELETE /users/{user_id}
nudge me about this message in an hour => POST /reminders
leave a channel => DELETE /users/me/subscriptions
let new folks in with a link we can share => POST /invites/multiuse
put me down as away => POST /users/me/status | POST /users/me/presence
get a dump of all our data => POST /export/realm
what did I start writing but never sent => GET /drafts
send the invitation mail again => POST /invites/{invite_id}/resend`,
  'xero-accounting-3.0.yaml': `
what's our bank balance sheet => GET /Reports/BalanceSheet | GET /Reports/BankSummary
delete a payment => POST /Payments/{PaymentID} | POST /Payments
show me all suppliers and customers => GET /Contacts
upload a receipt to an invoice => PUT /Invoices/{InvoiceID}/Attachments/{FileName} | POST /Invoices/{InvoiceID}/Attachments/{FileName}
bill a client => PUT /Invoices | POST /Invoices
mail the invoice to the customer => POST /Invoices/{InvoiceID}/Email
how profitable were we last year => GET /Reports/ProfitAndLoss
who owes us money => GET /Reports/AgedReceivablesByContact
add a new supplier to the address book => PUT /Contacts | POST /Contacts
move money between two bank accounts => PUT /BankTransfers
order some stuff from a vendor => PUT /PurchaseOrders | POST /PurchaseOrders
which currencies do we work with? => GET /Currencies
take a contact out of a group => DELETE /ContactGroups/{ContactGroupID}/Contacts/{ContactID}
give me the quote as a pdf => GET /Quotes/{QuoteID}/pdf
log that an invoice was paid => PUT /Payments | POST /Payments
what VAT rates are set up => GET /TaxRates`,
  'kubernetes-2.0.json': `
what pods are running in this namespace => GET /api/v1/namespaces/{namespace}/pods
show me what the pod prints => GET /api/v1/namespaces/{namespace}/pods/{name}/log
make a new namespace => POST /api/v1/namespaces
scale my deployment to five copies => PUT /apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale | PATCH /apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale
get rid of a cron job => DELETE /apis/batch/v1/namespaces/{namespace}/cronjobs/{name}
store a password in the cluster => POST /api/v1/namespaces/{namespace}/secrets
which machines make up the cluster? => GET /api/v1/nodes`,
  'github-3.0.json': `
I want to leave feedback on a pull request => POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews | POST /repos/{owner}/{repo}/pulls/{pull_number}/comments | POST /repos/{owner}/{repo}/issues/{issue_number}/comments
who can approve deployments to production => GET /repos/{owner}/{repo}/environments/{environment_name} | GET /repos/{owner}/{repo}/environments/{environment_name}/deployment_protection_rules
put the website of this repo online => POST /repos/{owner}/{repo}/pages
list the tags of my project => GET /repos/{owner}/{repo}/tags
give me the names of everyone in our company account => GET /orgs/{org}/members
I no longer want to follow this person => DELETE /user/following/{username}
add a deadline for a bunch of issues => POST /repos/{owner}/{repo}/milestones | PATCH /repos/{owner}/{repo}/milestones/{milestone_number}
download the source as a zip file => GET /repos/{owner}/{repo}/zipball/{ref}
reopen the discussion I locked => DELETE /repos/{owner}/{repo}/issues/{issue_number}/lock
what's everybody been working on, the last few commits => GET /repos/{owner}/{repo}/commits
put a new member on the platform team => PUT /orgs/{org}/teams/{team_slug}/memberships/{username}
I need a personal snippet to share => POST /gists
hide this repo's old issue from edits, lock it => PUT /repos/{owner}/{repo}/issues/{issue_number}/lock
how popular is my project, clones and such => GET /repos/{owner}/{repo}/traffic/clones
which vulnerabilities did dependabot spot => GET /repos/{owner}/{repo}/dependabot/alerts
try the failed build again => POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs | POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun
who am I following => GET /user/following
save a token the build can use => PUT /repos/{owner}/{repo}/actions/secrets/{secret_name}
find code that calls this function => GET /search/code
undo my star => DELETE /user/starred/{owner}/{repo}
what's in the readme => GET /repos/{owner}/{repo}/readme
open a ticket about the login page => POST /repos/{owner}/{repo}/issues
what's the newest version we shipped => GET /repos/{owner}/{repo}/releases/latest
make someone an admin of our org => PUT /orgs/{org}/memberships/{username}
show the diff between two branches => GET /repos/{owner}/{repo}/compare/{basehead}
rename our default branch to main => POST /repos/{owner}/{repo}/branches/{branch}/rename
which workflows failed today => GET /repos/{owner}/{repo}/actions/runs
remove a self hosted runner => DELETE /repos/{owner}/{repo}/actions/runners/{runner_id} | DELETE /orgs/{org}/actions/runners/{runner_id}
close this pull request without merging => PATCH /repos/{owner}/{repo}/pulls/{pull_number}
who contributed the most code => GET /repos/{owner}/{repo}/contributors | GET /repos/{owner}/{repo}/stats/contributors
clear the build cache => DELETE /repos/{owner}/{repo}/actions/caches | DELETE /repos/{owner}/{repo}/actions/caches/{cache_id}
how close am I to being rate limited => GET /rate_limit
add a file to the repo => PUT /repos/{owner}/{repo}/contents/{path}`,
  'jellyfin-3.0.yaml': `
who made the movie, look up an actor => GET /Persons/{name} | GET /Persons
unmark a movie as watched => DELETE /Users/{userId}/PlayedItems/{itemId}
get me the cover art of an album => GET /Items/{itemId}/Images/{imageType} | GET /Items/{itemId}/Images | GET /Items/{itemId}/Images/{imageType}/{imageIndex}
which genres are there => GET /Genres | GET /MusicGenres
revoke an api key => DELETE /Auth/Keys/{key}
remove a device => DELETE /Devices
start watching together with friends => POST /SyncPlay/New | POST /SyncPlay/Join
what was added recently => GET /Users/{userId}/Items/Latest
wipe a movie from the disk => DELETE /Items/{itemId}
change a user's password => POST /Users/{userId}/Password
what's on TV tonight => GET /LiveTv/Programs | POST /LiveTv/Programs | GET /LiveTv/Programs/Recommended | GET /LiveTv/Channels
record a show => POST /LiveTv/Timers | POST /LiveTv/SeriesTimers
pick up where I left off => GET /Users/{userId}/Items/Resume
uninstall an add-on => DELETE /Plugins/{pluginId}
cancel a planned recording => DELETE /LiveTv/Timers/{timerId}
put together a list of songs => POST /Playlists
which devices have connected => GET /Devices
is the server still alive => GET /System/Ping | POST /System/Ping
log me out => POST /Sessions/Logout
play a movie on the living room TV => POST /Sessions/{sessionId}/Playing
make a playlist => POST /Playlists
clear my rating of a film => DELETE /Users/{userId}/Items/{itemId}/Rating
what songs are in this playlist => GET /Playlists/{playlistId}/Items
which users exist on this server => GET /Users
issue a new api key => POST /Auth/Keys
search for a title => GET /Search/Hints | GET /Items`,
  'museum-3.1.yaml': `
when are you open => GET /museum-hours
I'd like to visit on Sunday, two adults => POST /tickets`,
  'redocly-cafe-3.2.yaml': `
what can I eat here => GET /menu
a cappuccino please => POST /orders
how much did we earn => GET /revenue
take a dish off the menu => DELETE /menu/{menuItemId}`,
  'box-3.0.json': `
copy a document to another folder => POST /files/{file_id}/copy
which webhooks do we have => GET /webhooks
permanently erase a file => DELETE /files/{file_id}/trash
lock a folder so that it can't be moved => POST /folder_locks
make a new group of people => POST /groups
upload a profile photo for a user => POST /users/{user_id}/avatar
duplicate a folder => POST /folders/{folder_id}/copy
someone left the company, shut his account => DELETE /users/{user_id}
who belongs to this group => GET /groups/{group_id}/memberships
nobody should be able to remove these files for 7 years => POST /retention_policies
withdraw a signature request => POST /sign_requests/{sign_request_id}/cancel
show me older copies of the file => GET /files/{file_id}/versions
stop sharing a folder with someone => DELETE /collaborations/{collaboration_id}
rename a file => PUT /files/{file_id}
what did people do in our account this week => GET /events
invite a person outside the company to a folder => POST /collaborations
create a task for someone to review a document => POST /tasks | POST /task_assignments
remove a person from a group => DELETE /group_memberships/{group_membership_id}
upload a new version of a document => POST /files/{file_id}/content`,
  'gitea-2.0.json': `
rename a branch => PATCH /repos/{owner}/{repo}/branches/{branch} | PUT /repos/{owner}/{repo}/branches/{branch}
what languages is the repo written in => GET /repos/{owner}/{repo}/languages
watch a repository for changes => PUT /repos/{owner}/{repo}/subscription
tell me who I am => GET /user
unlock an issue => DELETE /repos/{owner}/{repo}/issues/{index}/lock
stop the clock on this issue => POST /repos/{owner}/{repo}/issues/{index}/stopwatch/stop
spin off my own copy of someone's repository => POST /repos/{owner}/{repo}/forks
put a due date on a milestone => PATCH /repos/{owner}/{repo}/milestones/{id}
which people are in this team => GET /teams/{id}/members
let me see the history of commits => GET /repos/{owner}/{repo}/commits
publish a release => POST /repos/{owner}/{repo}/releases
delete my account's ssh key => DELETE /user/keys/{id}
are there any issues about crashes? => GET /repos/issues/search | GET /repos/{owner}/{repo}/issues
shut down a user as admin => DELETE /admin/users/{username}`,
  'slack-web-2.0.json': `
unpin a message => POST /pins.remove
quit a channel => POST /conversations.leave
give the channel another name => POST /conversations.rename | POST /admin.conversations.rename
list all channels => GET /conversations.list
get the link to a message => GET /chat.getPermalink
set my presence to away => POST /users.setPresence
which reminders have I set => GET /reminders.list
make a user group => POST /usergroups.create
archive a channel nobody uses => POST /conversations.archive | POST /admin.conversations.archive
pin this message => POST /pins.add
what emojis do we have => GET /emoji.list | GET /admin.emoji.list
edit something I posted => POST /chat.update
show the replies in a thread => GET /conversations.replies
start a group DM => POST /conversations.open
change the channel topic => POST /conversations.setTopic
is John online? => GET /users.getPresence`,
  'discord-3.1.json': `
get rid of a channel => DELETE /channels/{channel_id}
who voted for this answer in the poll => GET /channels/{channel_id}/polls/{message_id}/answers/{answer_id}
what roles exist here => GET /guilds/{guild_id}/roles
cancel an invite => DELETE /invites/{code}
leave a server => DELETE /users/@me/guilds/{guild_id}
show the last messages of a channel => GET /channels/{channel_id}/messages
make a new text channel => POST /guilds/{guild_id}/channels
take a role away from a member => DELETE /guilds/{guild_id}/members/{user_id}/roles/{role_id}
list everyone who is banned => GET /guilds/{guild_id}/bans
delete a bunch of messages at once => POST /channels/{channel_id}/messages/bulk-delete
change my nickname on this server => PATCH /guilds/{guild_id}/members/@me
upload a custom emoji => POST /guilds/{guild_id}/emojis | POST /applications/{application_id}/emojis`,
  'stripe-3.0.yaml': `
why was this payment declined, show the charge => GET /v1/charges/{charge}
put a subscription on pause => POST /v1/subscriptions/{subscription_exposed_id}
write off an invoice that will never be paid => POST /v1/invoices/{invoice}/mark_uncollectible
delete a product => DELETE /v1/products/{id}
which coupons are active => GET /v1/coupons
remove a bank account from a customer => DELETE /v1/customers/{customer}/bank_accounts/{id} | DELETE /v1/customers/{customer}/sources/{id}
charge a customer 20 dollars => POST /v1/payment_intents | POST /v1/charges
cancel somebody's plan => DELETE /v1/subscriptions/{subscription_exposed_id} | DELETE /v1/customers/{customer}/subscriptions/{subscription_exposed_id}
email the bill to the client => POST /v1/invoices/{invoice}/send
get a list of everyone who bought something => GET /v1/customers | GET /v1/charges
add a tax id to a customer => POST /v1/customers/{customer}/tax_ids
stop accepting payments through a link => POST /v1/payment_links/{payment_link}`,
  'openai-3.1.yaml': `
remove a file from a vector store => DELETE /vector_stores/{vector_store_id}/files/{file_id}
translate a recording to English => POST /audio/translations
list my fine tuned jobs => GET /fine_tuning/jobs
make a short video clip => POST /videos
get numbers that represent a text => POST /embeddings
who changed what in our org => GET /organization/audit_logs
make a vector store => POST /vector_stores
upload a file for training => POST /files
stop a fine tuning run => POST /fine_tuning/jobs/{fine_tuning_job_id}/cancel | POST /fine_tuning/jobs/{fine_tuning_job_id}/pause
who is in our organization => GET /organization/users
have a chat with the model => POST /chat/completions | POST /responses
change a picture based on a description => POST /images/edits`,
  'docker-engine-2.0.yaml': `
kill a container that hangs => POST /containers/{id}/kill
which processes are running in the container => GET /containers/{id}/top
throw out unused volumes => POST /volumes/prune
what nodes are in the swarm => GET /nodes
save an image as a tarball => GET /images/{name}/get | GET /images/get
give an image another tag => POST /images/{name}/tag
delete all stopped containers => POST /containers/prune
copy a file out of a container => GET /containers/{id}/archive
which version of docker is this => GET /version
build an image from a dockerfile => POST /build
join a swarm => POST /swarm/join
upload my image to a registry => POST /images/{name}/push`,
  'peertube-3.0.yaml': `
mute an annoying account => POST /api/v1/server/blocklist/accounts
remove a video from a playlist => DELETE /api/v1/video-playlists/{playlistId}/videos/{playlistElementId}
install an extension => POST /api/v1/plugins/install
look for a channel by name => GET /api/v1/search/video-channels
which instances follow us => GET /api/v1/server/followers
delete my video => DELETE /api/v1/videos/{id}
subscribe to a channel => POST /api/v1/users/me/subscriptions
what are the most recent videos => GET /api/v1/videos
change a video's title => PUT /api/v1/videos/{id}
show me the comments on a video => GET /api/v1/videos/{id}/comment-threads
go live => POST /api/v1/videos/live`,
  'netbox-3.0.yaml': `
get all racks in a location => GET /dcim/racks/
assign an ip address => POST /ipam/ip-addresses/ | PATCH /ipam/ip-addresses/{id}/
decommission a device => DELETE /dcim/devices/{id}/ | PATCH /dcim/devices/{id}/
what interfaces does this device have => GET /dcim/interfaces/
list all sites => GET /dcim/sites/
reserve rack space => POST /dcim/rack-reservations/
connect two devices with a cable => POST /dcim/cables/
who are our tenants => GET /tenancy/tenants/
remove a virtual machine => DELETE /virtualization/virtual-machines/{id}/`,
  'twilio-v2010-3.0.json': `
how long was the call => GET /2010-04-01/Accounts/{AccountSid}/Calls/{Sid}.json
put someone on hold in a conference => POST /2010-04-01/Accounts/{AccountSid}/Conferences/{ConferenceSid}/Participants/{CallSid}.json
which numbers do we own => GET /2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers.json
hang up a call => POST /2010-04-01/Accounts/{AccountSid}/Calls/{Sid}.json
see the texts we sent => GET /2010-04-01/Accounts/{AccountSid}/Messages.json
release a phone number => DELETE /2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers/{Sid}.json
delete a recording => DELETE /2010-04-01/Accounts/{AccountSid}/Recordings/{Sid}.json | DELETE /2010-04-01/Accounts/{AccountSid}/Calls/{CallSid}/Recordings/{Sid}.json`,
  'argocd-2.0.json': `
remove an app => DELETE /api/v1/applications/{name}
list the apps => GET /api/v1/applications
which repos are connected => GET /api/v1/repositories
stop a sync that hangs => DELETE /api/v1/applications/{name}/operation`,
};

const NEVER_LOOKED_AT: Readonly<Record<string, string>> = {
  'gitea-2.0.json': `
set up a new repository for me => POST /user/repos
get rid of a wiki page => DELETE /repos/{owner}/{repo}/wiki/page/{pageName}
I want to log two hours on this ticket => POST /repos/{owner}/{repo}/issues/{index}/times
who has starred the project => GET /repos/{owner}/{repo}/stargazers
take a person off the team => DELETE /teams/{id}/members/{username}
what files did this pull request touch => GET /repos/{owner}/{repo}/pulls/{index}/files
turn a pull request down with comments => POST /repos/{owner}/{repo}/pulls/{index}/reviews | POST /repos/{owner}/{repo}/pulls/{index}/reviews/{id}
change my profile picture => POST /user/avatar
stop someone from bothering me => PUT /user/blocks/{username}
which keys are allowed to deploy => GET /repos/{owner}/{repo}/keys
pass the repo on to somebody else => POST /repos/{owner}/{repo}/transfer
freeze the discussion on an issue => PUT /repos/{owner}/{repo}/issues/{index}/lock
download the code as a zip => GET /repos/{owner}/{repo}/archive/{archive}
let a friend push to my repo => PUT /repos/{owner}/{repo}/collaborators/{collaborator}
is there anything new for me? => GET /notifications | GET /notifications/new`,
  'peertube-3.0.yaml': `
give this video a thumbs up => PUT /api/v1/videos/{id}/rate
post a new clip => POST /api/v1/videos/upload
put subtitles on my video => PUT /api/v1/videos/{id}/captions/{captionLanguage}
who's following my channel => GET /api/v1/video-channels/{channelHandle}/followers
ban an account from our instance => POST /api/v1/server/blocklist/accounts
report somebody's behaviour => POST /api/v1/abuses
set up a new channel => POST /api/v1/video-channels
how often has my video been watched => GET /api/v1/videos/{id}/stats/overall
forget everything I have watched => POST /api/v1/users/me/history/videos/remove
sign up for an account => POST /api/v1/users/register | POST /api/v1/users/registrations/request
leave a reply under a comment => POST /api/v1/videos/{id}/comments/{commentId}
add a clip to my watch list => POST /api/v1/video-playlists/{playlistId}/videos`,
  'netbox-3.0.yaml': `
what's the next free address in this subnet? => GET /ipam/prefixes/{id}/available-ips/ | POST /ipam/prefixes/{id}/available-ips/
set up a new rack => POST /dcim/racks/
which switches do we have => GET /dcim/devices/
get rid of a cable => DELETE /dcim/cables/{id}/
add a VLAN => POST /ipam/vlans/
look up an IP address => GET /ipam/ip-addresses/ | GET /ipam/ip-addresses/{id}/
change the name of a site => PATCH /dcim/sites/{id}/ | PUT /dcim/sites/{id}/
who makes our hardware => GET /dcim/manufacturers/
spin up a VM entry => POST /virtualization/virtual-machines/
give somebody a new API token => POST /users/tokens/ | POST /users/tokens/provision/`,
  'discord-3.1.json': `
kick someone from the server => DELETE /guilds/{guild_id}/members/{user_id}
ban a troll => PUT /guilds/{guild_id}/bans/{user_id}
let somebody back in after a ban => DELETE /guilds/{guild_id}/bans/{user_id}
say hello in a channel => POST /channels/{channel_id}/messages
make a moderator out of this member => PUT /guilds/{guild_id}/members/{user_id}/roles/{role_id}
wipe a message => DELETE /channels/{channel_id}/messages/{message_id}
react to a message with a heart => PUT /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}/@me
which servers am I in? => GET /users/@me/guilds
set up a new slash command => POST /applications/{application_id}/commands | POST /applications/{application_id}/guilds/{guild_id}/commands
who did what on the server lately => GET /guilds/{guild_id}/audit-logs
stick a message to the top of the channel => PUT /channels/{channel_id}/messages/pins/{message_id} | PUT /channels/{channel_id}/pins/{message_id}
get a link so friends can join the channel => POST /channels/{channel_id}/invites
plan a party for Friday => POST /guilds/{guild_id}/scheduled-events
start a private chat with someone => POST /users/@me/channels`,
  'notion-3.1.json': `
write a new page => POST /v1/pages
find a note by its name => POST /v1/search
who works in this workspace => GET /v1/users
add a paragraph to the bottom of a page => PATCH /v1/blocks/{block_id}/children
put a page somewhere else => POST /v1/pages/{page_id}/move
leave a comment => POST /v1/comments`,
  'openai-3.1.yaml': `
turn text into speech => POST /audio/speech
write down what is said in a recording => POST /audio/transcriptions
draw me a picture => POST /images/generations
which models can I use? => GET /models
train a model on my own data => POST /fine_tuning/jobs
how much did we spend => GET /organization/costs
is this text offensive? => POST /moderations
get rid of an uploaded file => DELETE /files/{file_id}
take someone off a project => DELETE /organization/projects/{project_id}/users/{user_id}
set up a new API key for administrators => POST /organization/admin_api_keys
invite a colleague => POST /organization/invites
call off a batch => POST /batches/{batch_id}/cancel`,
  'stripe-3.0.yaml': `
give a customer his money back => POST /v1/refunds | POST /v1/charges/{charge}/refund | POST /v1/charges/{charge}/refunds
sign somebody up for a monthly plan => POST /v1/subscriptions
set up a new discount code => POST /v1/promotion_codes | POST /v1/coupons
how much do we have in the account => GET /v1/balance
who hasn't paid yet? => GET /v1/invoices
a client moved, change his address => POST /v1/customers/{customer}
tear up an invoice => POST /v1/invoices/{invoice}/void | DELETE /v1/invoices/{invoice}
send our earnings to the bank => POST /v1/payouts
call off a pending payout => POST /v1/payouts/{payout}/cancel
what cards does this customer have on file => GET /v1/customers/{customer}/cards | GET /v1/customers/{customer}/payment_methods | GET /v1/payment_methods | GET /v1/customers/{customer}/sources
fight a chargeback => POST /v1/disputes/{dispute}`,
  'twilio-v2010-3.0.json': `
text someone => POST /2010-04-01/Accounts/{AccountSid}/Messages.json
ring somebody up => POST /2010-04-01/Accounts/{AccountSid}/Calls.json
buy a phone number => POST /2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers.json | POST /2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers/Local.json
kick a caller out of the conference => DELETE /2010-04-01/Accounts/{AccountSid}/Conferences/{ConferenceSid}/Participants/{CallSid}.json
how much credit is left => GET /2010-04-01/Accounts/{AccountSid}/Balance.json
listen to a recorded call => GET /2010-04-01/Accounts/{AccountSid}/Recordings/{Sid}.json | GET /2010-04-01/Accounts/{AccountSid}/Calls/{CallSid}/Recordings.json | GET /2010-04-01/Accounts/{AccountSid}/Calls/{CallSid}/Recordings/{Sid}.json
what have we used this month => GET /2010-04-01/Accounts/{AccountSid}/Usage/Records/ThisMonth.json
which toll free numbers can I get in the US => GET /2010-04-01/Accounts/{AccountSid}/AvailablePhoneNumbers/{CountryCode}/TollFree.json`,
  'argocd-2.0.json': `
deploy my app now => POST /api/v1/applications/{name}/sync
go back to the previous deployment => POST /api/v1/applications/{name}/rollback
what do the pods print => GET /api/v1/applications/{name}/logs | GET /api/v1/applications/{name}/pods/{podName}/logs
hook up a new git repo => POST /api/v1/repositories
which clusters are we deploying to => GET /api/v1/clusters
change my password => PUT /api/v1/account/password
get rid of a project => DELETE /api/v1/projects/{name}
what version is the server => GET /api/version`,
};

/** Idioms and asides as people have them, looked at in the second round of tuning. */
const IDIOMATIC: Readonly<Record<string, string>> = {
  'github-3.0.json': `
lock down that flame war in issue 88 so nobody else can pile on => PUT /repos/{owner}/{repo}/issues/{issue_number}/lock
Who's still on the hook to review PR 412? => GET /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers
put this snippet up as a secret gist for me please => POST /gists
the CI run broke again, only rerun the parts that failed => POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs
How many people have cloned our repo over the past two weeks? => GET /repos/{owner}/{repo}/traffic/clones
take my star off acme/widgets => DELETE /user/starred/{owner}/{repo}
we want to hand this repository over to the platform organization => POST /repos/{owner}/{repo}/transfer
bring my fork up to date with the original project => POST /repos/{owner}/{repo}/merge-upstream
did anyone leak passwords or tokens in this repo? show me what GitHub found => GET /repos/{owner}/{repo}/secret-scanning/alerts
push the v2 milestone's due date back a week => PATCH /repos/{owner}/{repo}/milestones/{milestone_number}`,
  'gitea-2.0.json': `
log two and a half hours of work on ticket 17 => POST /repos/{owner}/{repo}/issues/{index}/times
what wiki pages does this project have => GET /repos/{owner}/{repo}/wiki/pages
switch off the nightly workflow for now, it's spamming everyone => PUT /repos/{owner}/{repo}/actions/workflows/{workflow_id}/disable
I'd like to bring our old GitHub repository over into Gitea => POST /repos/migrate
as the site admin I need to change bob's username to robert => POST /admin/users/{username}/rename
drop the protection rule on the release branch => DELETE /repos/{owner}/{repo}/branch_protections/{name}
which repos am I watching? => GET /user/subscriptions | GET /users/{username}/subscriptions
somebody wants to give us their repo, turn the transfer down => POST /repos/{owner}/{repo}/transfer/reject
how much of this codebase is Go versus TypeScript? => GET /repos/{owner}/{repo}/languages`,
  'slack-web-2.0.json': `
shush my notifications for the next hour => POST /dnd.setSnooze
catch me up on what people wrote in #general today => GET /conversations.history
tomorrow at 9 tell the team channel that standup is cancelled => POST /chat.scheduleMessage
oops, take my eyes emoji back off that message => POST /reactions.remove
boot Dave from #design => POST /conversations.kick
whose account goes with jane@acme.com? => GET /users.lookupByEmail
Priya's laptop got stolen, sign her out everywhere => POST /admin.users.session.reset
fix the typo in the message I just posted => POST /chat.update`,
  'discord-3.1.json': `
wipe the last 50 messages in this channel in one go => POST /channels/{channel_id}/messages/bulk-delete
the ban on Sam was a mistake, let him back in => DELETE /guilds/{guild_id}/bans/{user_id}
make Mia a moderator by giving her the mod role => PUT /guilds/{guild_id}/members/{user_id}/roles/{role_id} | PATCH /guilds/{guild_id}/members/{user_id}
who gave the announcement a thumbs up? => GET /channels/{channel_id}/messages/{message_id}/reactions/{emoji_name}
close the voting on that poll now => POST /channels/{channel_id}/polls/{message_id}/expire
set up a movie night event on our server for Friday evening => POST /guilds/{guild_id}/scheduled-events
I want to see what the mods have been doing on the server lately => GET /guilds/{guild_id}/audit-logs
that invite link got out, kill it => DELETE /invites/{code}`,
  'box-3.0.json': `
who is this file shared with? => GET /files/{file_id}/collaborations
make last Tuesday's version of the spreadsheet the current one again => POST /files/{file_id}/versions/current
that file is in the trash, get rid of it for good => DELETE /files/{file_id}/trash
I need Anna's signature on this contract => POST /sign_requests
nudge the people who haven't signed yet => POST /sign_requests/{sign_request_id}/resend
Tom leaves on Friday, move everything he owns over to his manager => PUT /users/{user_id}/folders/0
give me a link to this folder that I can send to the client => PUT /folders/{folder_id}#add_shared_link | PUT /folders/{folder_id}
make sure nobody can move or delete the Legal folder => POST /folder_locks
add Kim to the marketing group => POST /group_memberships`,
  'notion-3.1.json': `
find the page called Q3 roadmap => POST /v1/search
leave a remark on this doc asking where the numbers come from => POST /v1/comments
show me only the overdue rows in the task tracker => POST /v1/data_sources/{data_source_id}/query
this page belongs under Archive now, put it there => POST /v1/pages/{page_id}/move
tack a couple of paragraphs on to the end of the page => PATCH /v1/blocks/{block_id}/children | PATCH /v1/pages/{page_id}/markdown
add a Priority column to our projects table => PATCH /v1/data_sources/{data_source_id}
who's in our workspace? => GET /v1/users`,
  'jellyfin-3.0.yaml': `
what was I halfway through watching? => GET /Users/{userId}/Items/Resume
I copied some films over, scan the library so they show up => GET /Library/Refresh
who's streaming something right now? => GET /Sessions
tick this episode off as seen => POST /Users/{userId}/PlayedItems/{itemId}
record tonight's game on channel 5 => POST /LiveTv/Timers
find Spanish subs online for this movie => GET /Items/{itemId}/RemoteSearch/Subtitles/{language}
take that song out of my road trip playlist => DELETE /Playlists/{playlistId}/Items
make an account for my mom on the server => POST /Users/New`,
  'netbox-3.0.yaml': `
which addresses are still free in 10.0.4.0/24? => GET /ipam/prefixes/{id}/available-ips/
grab me the next free IP out of that prefix => POST /ipam/prefixes/{id}/available-ips/
we racked a new switch today, please register it => POST /dcim/devices/
where does the cable on this network port end up? => GET /dcim/interfaces/{id}/trace/
which units in rack 12 are taken, top to bottom? => GET /dcim/racks/{id}/elevation/
we closed the Berlin office, delete that site => DELETE /dcim/sites/{id}/
rename VLAN 200 to guest-wifi => PATCH /ipam/vlans/{id}/ | PUT /ipam/vlans/{id}/
who changed what in NetBox yesterday? => GET /extras/object-changes/`,
  'peertube-3.0.yaml': `
put my clip online => POST /api/v1/videos/upload | POST /api/v1/videos/upload-resumable
thumbs up for that video => PUT /api/v1/videos/{id}/rate
add French subtitles to my talk => PUT /api/v1/videos/{id}/captions/{captionLanguage}
I want to go live tonight, set it up => POST /api/v1/videos/live
at what point do viewers drop off in this video? => GET /api/v1/videos/{id}/stats/retention
forget everything I've watched => POST /api/v1/users/me/history/videos/remove
someone asked for an account on our instance, let them in => POST /api/v1/users/registrations/{registrationId}/accept
unsubscribe me from the Blender channel => DELETE /api/v1/users/me/subscriptions/{subscriptionHandle}`,
  'docker-engine-2.0.yaml': `
how much memory and CPU is the web container eating? => GET /containers/{id}/stats
clear out all the images nothing uses any more => POST /images/prune
pull nginx:latest from Docker Hub => POST /images/create
copy this config file into the running container => PUT /containers/{id}/archive
freeze the worker container for a moment => POST /containers/{id}/pause
hook the api container up to the backend network => POST /networks/{id}/connect
what's hogging the disk on this docker host? => GET /system/df
bump the web service up to five replicas => POST /services/{id}/update`,
  'openai-3.1.yaml': `
turn this voice memo into text => POST /audio/transcriptions
how many dollars has our org spent on the API this month? => GET /organization/costs
read this paragraph out loud => POST /audio/speech
is this comment hateful or violent? => POST /moderations
train our own version of the model on the support chats I uploaded => POST /fine_tuning/jobs
call off the overnight batch => POST /batches/{batch_id}/cancel
ask the new hire to join our organization => POST /organization/invites
take that pdf out of the vector store but keep the file itself => DELETE /vector_stores/{vector_store_id}/files/{file_id}`,
  'kubernetes-2.0.json': `
what did the crashed pod print before it died? => GET /api/v1/namespaces/{namespace}/pods/{name}/log
scale the web deployment to five replicas => PATCH /apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale | PUT /apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale | PATCH /apis/apps/v1/namespaces/{namespace}/deployments/{name} | PUT /apis/apps/v1/namespaces/{namespace}/deployments/{name}
which nodes does the cluster have? => GET /api/v1/nodes
store the database password as a secret in the prod namespace => POST /api/v1/namespaces/{namespace}/secrets
I want a cron job that runs every night at 2 => POST /apis/batch/v1/namespaces/{namespace}/cronjobs
what Kubernetes version is the server running => GET /version/
am I even allowed to delete pods here? => POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews | POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews
get rid of the staging namespace and everything in it => DELETE /api/v1/namespaces/{name}`,
  'stripe-3.0.yaml': `
give the customer her money back for that charge => POST /v1/refunds | POST /v1/charges/{charge}/refunds | POST /v1/charges/{charge}/refund
how much money is sitting in our account right now? => GET /v1/balance
make a 20% off code for Black Friday => POST /v1/coupons | POST /v1/promotion_codes
Mr. Lee wants out, end his subscription today => DELETE /v1/subscriptions/{subscription_exposed_id} | DELETE /v1/customers/{customer}/subscriptions/{subscription_exposed_id}
email that invoice to the client => POST /v1/invoices/{invoice}/send
what will Acme's next bill look like? => GET /v1/invoices/upcoming | GET /v1/invoices/upcoming/lines
which chargebacks are we dealing with at the moment => GET /v1/disputes
send what we've earned to our bank account => POST /v1/payouts`,
  'twilio-v2010-3.0.json': `
text the customer that her order is ready => POST /2010-04-01/Accounts/{AccountSid}/Messages.json
hang up that call => POST /2010-04-01/Accounts/{AccountSid}/Calls/{Sid}.json
what toll-free numbers could I get in Canada? => GET /2010-04-01/Accounts/{AccountSid}/AvailablePhoneNumbers/{CountryCode}/TollFree.json
throw the noisy guy off the conference call => DELETE /2010-04-01/Accounts/{AccountSid}/Conferences/{ConferenceSid}/Participants/{CallSid}.json
buy that phone number for us => POST /2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers.json | POST /2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers/Local.json | POST /2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers/Mobile.json | POST /2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers/TollFree.json`,
  'zulip-3.0.yaml': `
who has already read my message? => GET /messages/{message_id}/read_receipts
invite these three people to our Zulip by email => POST /invites
we don't need the old-projects channel any more, archive it => DELETE /streams/{stream_id}`,
  'xero-accounting-3.0.yaml': `
did we make a profit last quarter? => GET /Reports/ProfitAndLoss
bill Acme 1200 for the workshop => PUT /Invoices | POST /Invoices
take Joe out of the VIP contact group => DELETE /ContactGroups/{ContactGroupID}/Contacts/{ContactID}`,
  'argocd-2.0.json': `
deploy the latest state from git for the shop app => POST /api/v1/applications/{name}/sync
put the shop app back to the release before this one => POST /api/v1/applications/{name}/rollback`,
};

/** Written with nothing but the lists of operations at hand, before any result was seen, and never tuned for. */
const UNTUNED: Readonly<Record<string, string>> = {
  'jellyfin-3.0.yaml': `
shut the whole server down for the night => POST /System/Shutdown
make a new playlist for the party => POST /Playlists
what's the next episode I should watch => GET /Shows/NextUp
which movies were added lately => GET /Users/{userId}/Items/Latest
mark this film as not watched => DELETE /Users/{userId}/PlayedItems/{itemId}
join my friends' watch party => POST /SyncPlay/Join
add a user account for my sister => POST /Users/New
let me see what's in the server log file => GET /System/Logs/Log | GET /System/Logs
install the trakt plugin => POST /Packages/Installed/{name}
take these films out of the Marvel collection => DELETE /Collections/{collectionId}/Items
find TV tuners on my network => GET /LiveTv/Tuners/Discover | GET /LiveTv/Tuners/Discvover
delete a movie from disk => DELETE /Items/{itemId}
reorder songs inside a playlist => POST /Playlists/{playlistId}/Items/{itemId}/Move/{newIndex}`,
  'netbox-3.0.yaml': `
add a new rack to the data centre => POST /dcim/racks/
which IP addresses are free in this prefix => GET /ipam/prefixes/{id}/available-ips/
hand out the next free ip from a prefix => POST /ipam/prefixes/{id}/available-ips/
rename a virtual machine => PATCH /virtualization/virtual-machines/{id}/ | PUT /virtualization/virtual-machines/{id}/
who makes our switches: list vendors of hardware => GET /dcim/manufacturers/
plug a cable between two ports => POST /dcim/cables/
remove a tenant that moved out => DELETE /tenancy/tenants/{id}/
free vlans of a vlan group => GET /ipam/vlan-groups/{id}/available-vlans/
write a journal note about a device => POST /extras/journal-entries/
create an api token for a user => POST /users/tokens/ | POST /users/tokens/provision/
list all wifi networks => GET /wireless/wireless-lans/
show the elevation of a rack => GET /dcim/racks/{id}/elevation/`,
  'gitea-2.0.json': `
who starred my repo => GET /repos/{owner}/{repo}/stargazers
log two hours of work on an issue => POST /repos/{owner}/{repo}/issues/{index}/times
turn down a repository transfer => POST /repos/{owner}/{repo}/transfer/reject
protect the main branch => POST /repos/{owner}/{repo}/branch_protections
has this pull request been merged already => GET /repos/{owner}/{repo}/pulls/{index}/merge
try the webhook with a fake push => POST /repos/{owner}/{repo}/hooks/{id}/tests
kick someone out of a team => DELETE /teams/{id}/members/{username}
rerun a failed workflow => POST /repos/{owner}/{repo}/actions/runs/{run}/rerun | POST /repos/{owner}/{repo}/actions/runs/{run}/rerun-failed-jobs
which languages is this code written in => GET /repos/{owner}/{repo}/languages
turn this markdown into html => POST /markdown | POST /markdown/raw | POST /markup
edit a page of the wiki => PATCH /repos/{owner}/{repo}/wiki/page/{pageName}
add my ssh key => POST /user/keys`,
  'box-3.0.json': `
download a bunch of files as one zip => POST /zip_downloads
who has access to this folder => GET /folders/{folder_id}/collaborations
bring a deleted file back from the trash => POST /files/{file_id}
nudge the signer again => POST /sign_requests/{sign_request_id}/resend
stop anybody from moving or deleting this folder => POST /folder_locks
ask the AI a question about a document => POST /ai/ask
share a folder with a colleague => POST /collaborations | PUT /folders/{folder_id}#add_shared_link
make an older version the current one => POST /files/{file_id}/versions/current
give everything somebody owns to another person => PUT /users/{user_id}/folders/0
stamp a watermark on a file => PUT /files/{file_id}/watermark
what did I open recently => GET /recent_items
log a device out for good, remove its pin => DELETE /device_pinners/{device_pinner_id}`,
  'twilio-v2010-3.0.json': `
text a customer => POST /2010-04-01/Accounts/{AccountSid}/Messages.json
ring someone up => POST /2010-04-01/Accounts/{AccountSid}/Calls.json
buy a phone number => POST /2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers.json | POST /2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers/Local.json | POST /2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers/Mobile.json | POST /2010-04-01/Accounts/{AccountSid}/IncomingPhoneNumbers/TollFree.json
throw a participant out of the conference call => DELETE /2010-04-01/Accounts/{AccountSid}/Conferences/{ConferenceSid}/Participants/{CallSid}.json
how much did we use last month => GET /2010-04-01/Accounts/{AccountSid}/Usage/Records/LastMonth.json | GET /2010-04-01/Accounts/{AccountSid}/Usage/Records/Monthly.json
pause the recording of a running call => POST /2010-04-01/Accounts/{AccountSid}/Calls/{CallSid}/Recordings/{Sid}.json
what do we have left on the account => GET /2010-04-01/Accounts/{AccountSid}/Balance.json
delete a recording => DELETE /2010-04-01/Accounts/{AccountSid}/Recordings/{Sid}.json | DELETE /2010-04-01/Accounts/{AccountSid}/Calls/{CallSid}/Recordings/{Sid}.json | DELETE /2010-04-01/Accounts/{AccountSid}/Conferences/{ConferenceSid}/Recordings/{Sid}.json
which toll free numbers can I get in Germany => GET /2010-04-01/Accounts/{AccountSid}/AvailablePhoneNumbers/{CountryCode}/TollFree.json
who is waiting in the queue => GET /2010-04-01/Accounts/{AccountSid}/Queues/{QueueSid}/Members.json
open a sub account for a client => POST /2010-04-01/Accounts.json
warn me when usage gets above a limit => POST /2010-04-01/Accounts/{AccountSid}/Usage/Triggers.json
list the api keys => GET /2010-04-01/Accounts/{AccountSid}/Keys.json`,
};

export const SENTENCES = {
  tunedOn: [...read(TUNED_ON), ...read(LOOKED_AT_LATER)],
  idiomatic: read(IDIOMATIC),
  neverLookedAt: read(NEVER_LOOKED_AT),
  untuned: read(UNTUNED),
};

function read(rows: Readonly<Record<string, string>>): (readonly [file: string, queries: readonly Query[]])[] {
  return Object.entries(rows).map(([file, text]) => [file, readQueries(text)]);
}
