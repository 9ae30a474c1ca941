#pragma once

namespace tandem {

/// Opens /dev/null for those of standard input, output and error that are closed: a file of ours
/// must not get their numbers.
void fill_standard_streams();

/// Remembers what standard input, output and error are, and keeps a second descriptor of each.
void remember_standard_streams();

enum class StreamState { same, restored, lost };
/// After foreign code ran: opens the stream again if its descriptor (0 to 2) is closed or leads
/// elsewhere. `lost`: the second descriptor is gone, too. Async-signal-safe. Streams that were not
/// remembered are taken as they are.
StreamState restore_standard_stream(int descriptor) noexcept;

}  // namespace tandem
