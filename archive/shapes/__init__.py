"""Types and encoding of JSON, for the API, exports, dumps and webhooks."""
