"""moto's server with a clock that a test can move on: GET /poolwright-test/clock?advance=<seconds>.

moto asks one function for the time of everything that waits (visibility, delays). What is served is moto, unchanged.
"""

import datetime
import sys
from urllib.parse import parse_qs

import moto.core.utils as utils

offset = datetime.timedelta()
real_now = utils.utcnow
utils.utcnow = lambda: real_now() + offset

# Imported after the change, so that whoever keeps the function by name keeps this one.
import moto.server as server  # noqa: E402
from moto.moto_server.werkzeug_app import DomainDispatcherApplication  # noqa: E402

serve = DomainDispatcherApplication.__call__


def serve_with_clock(self, environ, start_response):
    global offset
    if environ["PATH_INFO"] != "/poolwright-test/clock":
        return serve(self, environ, start_response)
    seconds = float(parse_qs(environ["QUERY_STRING"])["advance"][0])
    offset += datetime.timedelta(seconds=seconds)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"moved on"]


DomainDispatcherApplication.__call__ = serve_with_clock
server.main(sys.argv[1:])
