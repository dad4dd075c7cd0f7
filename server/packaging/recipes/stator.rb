# Homebrew's formula. Generated: put it into a tap.
class Stator < Formula
  desc "Local server that speaks DynamoDB's wire protocol"
  homepage "@URL@"
  version "@VERSION@"
  license "Apache-2.0"

  depends_on :linux
@DOWNLOADS@

  def install
    bin.install "bin/stator"
    man1.install "share/man/man1/stator.1"
    bash_completion.install "share/bash-completion/completions/stator"
    zsh_completion.install "share/zsh/site-functions/_stator"
    fish_completion.install "share/fish/vendor_completions.d/stator.fish"
    doc.install Dir["share/doc/stator/*"], "licenses"
  end

  test do
    assert_match "Stator #{version}", shell_output("#{bin}/stator version")
  end
end
